/**
 * The readers of old entries of the event log. Each process lets its own ones read, and notes how far they came, so that
 * the process that trims the log waits for the readers of all.
 */
import { now } from "#shared/base/clock.ts";
import type { DocumentStore } from "../document-store.ts";
import { insertOnce } from "../insert-once.ts";
import type { EventLog } from "./event-log.ts";
import { eventLogReaderCollection } from "./event-log-collection.ts";

/** A reader that has not read for this long is one of a service that is not installed any more, in milliseconds. */
const forgottenMs = 24 * 3_600_000;

/** The most readers of all processes; a service has one. */
const maxReaders = 100;

/** The readers of one process, and the notes of all. */
export class LogReaders {
	readonly #store: DocumentStore;
	readonly #log: EventLog;
	readonly #readers = new Map<string, () => Promise<void>>();

	constructor(store: DocumentStore, log: EventLog) {
		this.#store = store;
		this.#log = log;
	}

	/** @param read Resolves when everything was read that was in the log at its call. */
	add(name: string, read: () => Promise<void>): void {
		this.#readers.set(name, read);
	}

	/** Lets the readers of this process read, and notes how far they came. */
	async read(): Promise<void> {
		if (this.#readers.size === 0) return;
		const { epoch, seq } = await this.#log.head();
		const reading = [...this.#readers].map(async ([name, read]) => {
			await read();
			await this.#note(name, { epoch, seq, at: now() });
		});
		await Promise.all(reading);
	}

	/** Returns the number up to which all readers of all processes have read; infinite when there is no reader. */
	async floor(): Promise<number> {
		const range = { equals: [], from: now() - forgottenMs };
		const { documents } = await this.#store.find(eventLogReaderCollection, "by_time", range, { limit: maxReaders });
		if (documents.length === 0) return Infinity;
		const { epoch } = await this.#log.head();
		// Those that noted a place in another log have not read this one yet.
		return Math.min(...documents.map((reader) => (reader.epoch === epoch ? (reader.seq ?? 0) : 0)));
	}

	async #note(id: string, set: { epoch: string; seq: number; at: number }): Promise<void> {
		if (await this.#store.update(eventLogReaderCollection, id, {}, { set })) return;
		await insertOnce(() => this.#store.insert(eventLogReaderCollection, { id, wire: "{}", ...set }));
	}
}
