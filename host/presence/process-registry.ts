/** Stores which processes of the platform run. */
import { now } from "#shared/base/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { processCollection } from "./process-collection.ts";
import type { ProcessEntry, ProcessView } from "#shared/contracts/processes.ts";

/** A process that has not announced itself for so long has ended, in milliseconds: two and a half intervals. */
export const endedAfterMs = 25_000;

/** An entry is kept for so long after its process has ended, in milliseconds. */
const keptMs = 3_600_000;
const maxEntries = 500;
const maxRemoved = 20;

export class ProcessRegistry {
	readonly #store: DocumentStore;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/** Stores that a process runs; resolves to the others that do. */
	async announce(entry: ProcessEntry): Promise<ProcessView> {
		const at = await this.#time();
		const wire = JSON.stringify(entry);
		const known = await this.#store.update(processCollection, entry.id, {}, { wire, set: { seen: at } });
		const first = { id: entry.id, wire, seen: at, since: at };
		if (!known) await insertOnce(() => this.#store.insert(processCollection, first));
		await this.#forget(at - keptMs);
		const others = (await this.#running(at)).filter((other) => other.entry.id !== entry.id);
		return { now: at, since: known?.since ?? at, others };
	}

	/** Removes a process that ends in order. */
	async leave(id: string): Promise<void> {
		await this.#store.remove(processCollection, id, {});
	}

	/** Returns the hosts whose pod managers run. */
	async hosts(): Promise<ReadonlySet<string>> {
		const running = await this.#running(await this.#time());
		return new Set(running.flatMap(({ entry }) => entry.place?.host ?? []));
	}

	async #running(at: number): Promise<ProcessView["others"]> {
		const range = { equals: [], from: at - endedAfterMs };
		const { documents } = await this.#store.find(processCollection, "by_seen", range, { limit: maxEntries });
		return documents.map(({ wire, seen, since }) => ({
			entry: JSON.parse(wire) as ProcessEntry,
			seen: seen ?? 0,
			since: since ?? 0,
		}));
	}

	async #time(): Promise<number> {
		return (await this.#store.time?.()) ?? now();
	}

	async #forget(before: number): Promise<void> {
		const range = { equals: [], to: before };
		const limits = { limit: maxRemoved, columns: [] };
		const { documents } = await this.#store.find(processCollection, "by_seen", range, limits);
		for (const { id } of documents) await this.#store.remove(processCollection, id, {});
	}
}
