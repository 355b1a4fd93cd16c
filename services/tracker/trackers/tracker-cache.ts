/**
 * Keeps answers of trackers for a short time, in this process. A key holds the person, the connection and its credential,
 * so that nobody gets what was asked for somebody else.
 */
import { monotonic } from "#shared/base/clock.ts";

const maxEntries = 500;
/** The bound of all texts together, in UTF-16 units. */
const maxSize = 8 * 1_048_576;
/** The largest answer that is kept. */
const maxOne = 262_144;

interface Entry {
	readonly text: string;
	readonly until: number;
}

/** It keeps at most 500 answers. */
export class TrackerCache {
	/** The least recently written entry comes first. */
	readonly #entries = new Map<string, Entry>();
	#size = 0;
	/** Counts the calls of `forget`: what was asked before one may be out of date after it. */
	#forgotten = 0;

	/** Returns a kept answer, or asks; a failure is not kept. @param ms How long the answer is kept, in milliseconds. */
	async get<T>(key: string, ms: number, ask: () => Promise<T>): Promise<T> {
		const kept = this.#entries.get(key);
		if (kept && kept.until > monotonic()) return JSON.parse(kept.text) as T;
		const before = this.#forgotten;
		const answer = await ask();
		if (before === this.#forgotten) this.#keep(key, JSON.stringify(answer ?? null), monotonic() + ms);
		return answer;
	}

	/** Forgets all answers whose keys begin with a text. */
	forget(prefix: string): void {
		this.#forgotten++;
		for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#drop(key);
	}

	#keep(key: string, text: string, until: number): void {
		this.#drop(key);
		if (text.length > maxOne) return;
		this.#entries.set(key, { text, until });
		this.#size += key.length + text.length;
		for (const oldest of this.#entries.keys()) {
			if (this.#entries.size <= maxEntries && this.#size <= maxSize) return;
			this.#drop(oldest);
		}
	}

	#drop(key: string): void {
		const entry = this.#entries.get(key);
		if (!entry) return;
		this.#entries.delete(key);
		this.#size -= key.length + entry.text.length;
	}
}
