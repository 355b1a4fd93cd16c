/** The state of the timeline that one pod of a session passes to the next, in a small file in the state folder. */
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { isCount, type JsonObject, parseJsonObject, textOf } from "#shared/base/schema/parsed-json.ts";

export interface TimelineMemory {
	/** The commits on which the session began, by the path of their work tree; those without a commit are missing. */
	readonly heads: Readonly<Record<string, string>>;
	/** The seconds that pods of the session have run, as far as each could record them. */
	readonly seconds: number;
}

/** The bound fits the commits of the largest number of repositories (shared/wire/pod/repository-path.ts). */
const maxBytes = 16_384;
const commitForm = /^[0-9a-f]{40,64}$/;

/** Returns undefined when there is no valid file. */
export async function readMemory(file: string): Promise<TimelineMemory | undefined> {
	// The first pod finds no file, and a damaged one has no information.
	const content = await readUntrusted(file, maxBytes).catch(() => undefined);
	const { head, heads, seconds } = parseJsonObject(content?.toString("utf8") ?? "") ?? {};
	if (!isCount(seconds)) return undefined;
	// Sessions that began with one repository only have its commit as `head`.
	return { heads: commitsOf(isJsonObject(heads) ? heads : { "": head }), seconds };
}

export function writeMemory(file: string, { heads, seconds }: TimelineMemory): Promise<void> {
	return replaceFile(file, JSON.stringify({ heads, seconds }));
}

function commitsOf(read: JsonObject): Record<string, string> {
	const commits = Object.entries(read).flatMap(([path, value]) => {
		const commit = textOf(value);
		return commit !== undefined && commitForm.test(commit) ? [[path, commit] as const] : [];
	});
	return Object.fromEntries(commits);
}
