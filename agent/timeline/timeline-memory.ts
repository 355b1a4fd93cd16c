/** The state of the timeline that one pod of a session passes to the next, in a small file in the state folder. */
import { replaceFile } from "#shared/files/replaced-file.ts";
import { readUntrusted } from "#shared/files/untrusted-file.ts";
import { isJsonObject, textOf } from "../io/json-object.ts";

/** The content of the file. */
export interface TimelineMemory {
	/** The commit on which the session began; undefined when there was none. */
	readonly head: string | undefined;
	/** The seconds that pods of the session have run, as far as each could record them. */
	readonly seconds: number;
}

const maxBytes = 4_096;
const commitForm = /^[0-9a-f]{40,64}$/;

/** Returns undefined when there is no valid file. */
export async function readMemory(file: string): Promise<TimelineMemory | undefined> {
	try {
		const read: unknown = JSON.parse(String(await readUntrusted(file, maxBytes)));
		const { head, seconds } = isJsonObject(read) ? read : {};
		if (typeof seconds !== "number" || !Number.isSafeInteger(seconds) || seconds < 0) return undefined;
		const commit = textOf(head);
		return { head: commit !== undefined && commitForm.test(commit) ? commit : undefined, seconds };
	} catch {
		// The first pod finds no file, and a damaged one has no information.
		return undefined;
	}
}

export function writeMemory(file: string, { head, seconds }: TimelineMemory): Promise<void> {
	return replaceFile(file, JSON.stringify({ head: head ?? null, seconds }));
}
