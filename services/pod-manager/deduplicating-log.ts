/** Tells of troubles that repeat: each sentence once in ten minutes, whichever session it is about. */
import { LRUCache } from "lru-cache";

const silentMs = 600_000;
const remembered = 200;
const sessionIds = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

export class DeduplicatingLog {
	readonly #write: (sentence: string) => void;
	readonly #told = new LRUCache<string, true>({ max: remembered, ttl: silentMs });

	constructor(write: (sentence: string) => void) {
		this.#write = write;
	}

	tell(sentence: string): void {
		const key = sentence.replaceAll(sessionIds, "");
		if (this.#told.has(key)) return;
		this.#told.set(key, true);
		this.#write(sentence);
	}
}

export function sentenceOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
