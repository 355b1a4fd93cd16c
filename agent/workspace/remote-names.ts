/** Asks a remote which branches and tags it has, and says which of them an unknown name probably means. */
import { monotonic } from "#shared/base/clock.ts";
import { didYouMean } from "#shared/base/nearest-name.ts";
import type { Git } from "./git.ts";

/** The most bytes of the remote's answer; names beyond it are not looked at. */
const maxAnswerBytes = 4_194_304;
/** The most names that a sentence lists. */
const maxNamed = 5;

export interface RemotePlace {
	readonly git: Git;
	/** A folder that is in no repository, so that no configuration of a repository counts. */
	readonly folder: string;
	/** The time on the monotonic clock at which the question is given up. */
	readonly end: number;
	readonly signal: AbortSignal;
}

/** Returns the names of the remote's branches and tags; undefined when it does not answer. */
export async function remoteNames(url: string, place: RemotePlace): Promise<string[] | undefined> {
	const { git, folder, end, signal } = place;
	const { code, cut, stdout } = await git.run(["ls-remote", "--heads", "--tags", "--refs", "--", url], {
		cwd: folder,
		timeoutMs: Math.max(end - monotonic(), 1),
		signal,
		maxBytes: maxAnswerBytes,
	});
	if (code !== 0 && !cut) return undefined;
	return [...String(stdout).matchAll(/^\w+\trefs\/(?:heads|tags)\/(.+)$/gm)].map(([, name = ""]) => name);
}

interface MissingBranch {
	readonly what: string;
	readonly branch: string;
	readonly names: readonly string[];
	/** Whether it was named as the one from which a new branch is made. */
	readonly isBase?: boolean;
}

/**
 * Returns the sentence for a branch that the repository lacks: the name that was probably meant, or some that there are.
 * @param remedy A further sentence.
 */
export function missingBranch({ what, branch, names, isBase = false }: MissingBranch, remedy = ""): string {
	const known = didYouMean(names, branch) || listed(names);
	const member = isBase ? ', which is the "base_branch" of the session' : "";
	return `${what} has no branch "${branch}"${member}${known}${remedy && (known.endsWith("?") ? ` ${remedy}` : `. ${remedy}`)}`;
}

function listed(names: readonly string[]): string {
	if (names.length === 0) return "";
	const some = names.slice(0, maxNamed).map((name) => `"${name}"`);
	return `; it has ${some.join(", ")}${names.length > maxNamed ? " and others" : ""}`;
}
