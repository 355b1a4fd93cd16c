/** Where a secret may become a file in a pod. Pure. */
import { posix } from "node:path";
import { secretRoots, type SecretRoot } from "#shared/contracts/credentials/pod-secrets.ts";

/** A checked place of a file: a normalised path below one of the roots. */
export interface SecretTarget {
	readonly root: SecretRoot;
	readonly path: string;
}

/** The prefixes of targets as integrations and types of credentials write them. */
const prefixes: readonly (readonly [RegExp, SecretRoot])[] = [
	[/^\/run\/secrets\/(?=.)/, "secrets"],
	[/^~\/(?=.)/, "home"],
	[/^\/home\/(?!\.\.?\/)[^/]+\/(?=.)/, "home"],
];

const maxLength = 500;
const maxDepth = 10;
/** One part of a path: no separators, no control characters, nothing that a shell or a person could misread. */
const partForm = /^[\w@+=,.][\w@+=,. -]{0,99}$/;
/** Files that the platform itself writes, and the folder of files that have no path of their own. */
const taken: Readonly<Record<SecretRoot, readonly string[]>> = {
	home: [".gitconfig", ".git-credentials", ".setup-script", ".secrets"],
	secrets: ["env.sh", "git-credentials", "token", "files"],
};

/** Returns the place that the text names; undefined for one that is outside the roots or taken. */
export function secretTarget(text: string): SecretTarget | undefined {
	const [prefix, root] = prefixes.find(([form]) => form.test(text)) ?? [];
	if (!prefix || !root || text.length > maxLength) return undefined;
	const path = text.replace(prefix, "");
	return isSecretPath(root, path) ? { root, path } : undefined;
}

/** Whether a path may be used below a root. The pod checks it again, as it does with everything it is told. */
export function isSecretPath(root: SecretRoot, path: string): boolean {
	const parts = path.split("/");
	const isPlain = parts.every((part) => partForm.test(part) && part !== "." && part !== ".." && !part.endsWith(" "));
	if (!isPlain || parts.length > maxDepth || path.length > maxLength || posix.normalize(path) !== path) return false;
	return secretRoots.includes(root) && !taken[root].includes(parts[0] ?? "");
}
