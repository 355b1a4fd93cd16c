/**
 * The mark of a write: a random text in the document, by which a process finds out that a write whose answer was lost was done.
 * Nothing says that one was not done, because it may still be on its way.
 */
import { randomUUID } from "node:crypto";
import { monotonic } from "#shared/base/clock.ts";
import { TimeoutError } from "#shared/base/errors.ts";
import type { StoredDocument } from "./mongodb-document.ts";

/** A write that has taken longer is not looked for: its caller hardly waits any more, in milliseconds. */
const lookWithinMs = 3_000;

/** The member of a document with the mark of the newest write. */
export interface WriteMark {
	readonly _write: string;
}

export function newMark(): WriteMark {
	return { _write: randomUUID() };
}

/** Returns update operators that leave the mark too. */
export function marked(operators: Readonly<Record<string, unknown>>, mark: WriteMark): Record<string, unknown> {
	const { $set: set } = operators;
	return { ...operators, $set: { ...(typeof set === "object" && set), ...mark } };
}

/**
 * Runs a write; when its answer is lost, looks for what it has written.
 * @param look Returns the document if it has the mark of this write, as a majority of the servers has it.
 * @throws what `write` throws, when the document does not show that the write was done.
 */
export async function orFound<T>(
	write: () => Promise<T>,
	look: () => Promise<StoredDocument | null>,
): Promise<T | StoredDocument> {
	const since = monotonic();
	try {
		return await write();
	} catch (error) {
		if (!isUndecided(error) || monotonic() - since > lookWithinMs) throw error;
		const found = await look().catch(() => null);
		if (found === null) throw error;
		return found;
	}
}

function isUndecided(error: unknown): boolean {
	return error instanceof TimeoutError && error.type === "STORE_UNDECIDED";
}
