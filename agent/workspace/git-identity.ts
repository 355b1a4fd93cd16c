/** The author of commits: the person whose git configuration the platform may use, or the session itself. */
import { join } from "node:path";
import { createFile } from "#shared/base/files/replaced-file.ts";
import type { GitSetting } from "./git-credentials.ts";
import type { Git } from "./git.ts";

export interface GitIdentity {
	name: string;
	email: string;
}

/** The author where nobody's configuration may be used. */
export const sessionIdentity: GitIdentity = { name: "Atelier session", email: "session@atelier.invalid" };

/** Whether nobody's configuration named the author. */
export function isSessionIdentity({ email }: GitIdentity): boolean {
	return email === sessionIdentity.email;
}

/** @param git Git with the environment of the person. */
export async function readIdentity(git: Git, cwd: string, signal: AbortSignal): Promise<GitIdentity> {
	const args = ["config", "--global", "-z", "--get-regexp", "^user\\.(name|email)$"];
	const { stdout } = await git.run(args, { cwd, timeoutMs: 5_000, signal });
	return { ...sessionIdentity, ...parseIdentity(stdout.toString("utf8")) };
}

/**
 * Writes the author and the way to the session's credentials into `.gitconfig` of the agent's home folder. A
 * repository's own setting has precedence, and an existing file is not changed.
 */
export async function writeIdentity(
	home: string,
	identity: GitIdentity,
	credentials: readonly GitSetting[] = [],
): Promise<void> {
	await createFile(join(home, ".gitconfig"), identityFile(identity) + settingsFile(credentials));
}

/** Reads `git config -z --get-regexp`: `user.name\nAda\0user.email\nada@example.com\0`. */
export function parseIdentity(listing: string): Partial<GitIdentity> {
	const identity: Partial<GitIdentity> = {};
	for (const entry of listing.split("\0")) {
		const [key, value] = [entry.slice(0, entry.indexOf("\n")), entry.slice(entry.indexOf("\n") + 1)];
		if (key === "user.name" && value !== "") identity.name = value;
		if (key === "user.email" && value !== "") identity.email = value;
	}
	return identity;
}

export function identityFile({ name, email }: GitIdentity): string {
	return `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n`;
}

/** Returns settings of the form `section.subsection.name` as a configuration file. */
function settingsFile(settings: readonly GitSetting[]): string {
	return settings
		.map(([key, value]) => {
			const [section, last] = [key.slice(0, key.indexOf(".")), key.lastIndexOf(".")];
			const subsection = key.slice(section.length + 1, last);
			return `[${section} ${quoted(subsection)}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
		})
		.join("");
}

function quoted(value: string): string {
	const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
	return `"${escaped.replaceAll("\0", "")}"`;
}
