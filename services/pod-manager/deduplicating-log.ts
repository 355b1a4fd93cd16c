/** Logs recurring troubles: each sentence once in ten minutes, for all sessions together. */
import { LRUCache } from "lru-cache";

const silentMs = 600_000;
const remembered = 200;
const sessionIds = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
/** Names that are made at random, as in the trash. */
const randomNames = /\b[0-9a-f]{8,}\b/g;

/** The count of failures in a row with which a loop is logged: services start in any order, so the first ones are usual. */
const loggedFailures = 4;

/** Filters sentences for a log. It needs no closing. */
export class DeduplicatingLog {
	readonly #write: (sentence: string) => void;
	readonly #logged = new LRUCache<string, true>({ max: remembered, ttl: silentMs });

	constructor(write: (sentence: string) => void) {
		this.#write = write;
	}

	/** Writes that a loop has failed. @param times How often in a row, this failure included. */
	failed(times: number, what: string, error: unknown): void {
		if (times >= loggedFailures) this.write(`${what}: ${sentenceOf(error)}`);
	}

	write(sentence: string): void {
		const key = sentence.replaceAll(sessionIds, "").replaceAll(randomNames, "");
		if (this.#logged.has(key)) return;
		this.#logged.set(key, true);
		this.#write(sentence);
	}
}

export function sentenceOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
