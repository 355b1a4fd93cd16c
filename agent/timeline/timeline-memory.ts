/** What one pod of a session leaves to the next one about its timeline: a small file in the state folder. */
import { replaceFile } from "#shared/files/replaced-file.ts";
import { readUntrusted } from "#shared/files/untrusted-file.ts";
import { isJsonObject, textOf } from "../io/json-object.ts";

export interface TimelineMemory {
	/** The commit the session began on; undefined: there was none. */
	readonly head: string | undefined;
	/** Seconds that pods of the session have run, as far as they could tell. */
	readonly seconds: number;
}

const maxBytes = 4_096;
const commitForm = /^[0-9a-f]{40,64}$/;

/** Undefined when there is none that makes sense. */
export async function readMemory(file: string): Promise<TimelineMemory | undefined> {
	try {
		const read: unknown = JSON.parse(String(await readUntrusted(file, maxBytes)));
		const { head, seconds } = isJsonObject(read) ? read : {};
		if (typeof seconds !== "number" || !Number.isSafeInteger(seconds) || seconds < 0) return undefined;
		const commit = textOf(head);
		return { head: commit !== undefined && commitForm.test(commit) ? commit : undefined, seconds };
	} catch {
		// The first pod finds none; one that is damaged tells nothing.
		return undefined;
	}
}

export function writeMemory(file: string, { head, seconds }: TimelineMemory): Promise<void> {
	return replaceFile(file, JSON.stringify({ head: head ?? null, seconds }));
}
