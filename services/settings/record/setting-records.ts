/**
 * The repository of settings. A change reads the setting, decides and writes by compare-and-set, so that concurrent
 * changes of different members are all applied.
 */
import { failpoint } from "#shared/base/failpoints.ts";
import type { Document } from "#shared/store/collection.ts";
import { tooFast } from "#shared/store/compare-and-set.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { repeatLostRaces } from "#shared/store/lost-races.ts";
import type { SettingCollection } from "./setting-collection.ts";

/** The document of one setting. */
type SettingDocument = Document<SettingCollection["columns"]>;

/** The settings of one kind, of all tenants and users. */
export class SettingRecords<Value extends object> {
	readonly #store: DocumentStore;
	readonly #collection: SettingCollection;

	constructor(store: DocumentStore, collection: SettingCollection) {
		this.#store = store;
		this.#collection = collection;
	}

	/** Returns the setting; undefined when none is set. @param holder The tenant, and the user if it belongs to one. */
	async read(holder: readonly string[]): Promise<Value | undefined> {
		return valueOf(await this.#store.get(this.#collection, idOf(holder)));
	}

	/**
	 * Changes the setting and returns it.
	 * @param decide Returns the new setting; it is called again after a lost race, so it has no side effects.
	 * @throws {UnavailableError} after 50 lost races.
	 */
	async change(holder: readonly string[], decide: (former: Value | undefined) => Value): Promise<Value> {
		const id = idOf(holder);
		const written = await repeatLostRaces(
			async () => {
				const former = await this.#store.get(this.#collection, id);
				const value = decide(valueOf<Value>(former));
				return (await this.#isWritten(id, former, JSON.stringify(value))) ? value : undefined;
			},
			{ refusal: () => tooFast("The setting") },
		);
		failpoint("settings.written");
		return written;
	}

	/** Whether the setting was written; false when another writer was faster. */
	async #isWritten(id: string, former: SettingDocument | undefined, wire: string): Promise<boolean> {
		if (former === undefined) return insertOnce(() => this.#store.insert(this.#collection, { id, wire, rev: 1 }));
		const { rev = 0 } = former;
		const change = { wire, set: { rev: rev + 1 } };
		return (await this.#store.update(this.#collection, id, { equals: { rev } }, change)) !== undefined;
	}
}

function valueOf<Value>(document: SettingDocument | undefined): Value | undefined {
	if (document === undefined) return undefined;
	const value: Value = JSON.parse(document.wire);
	return value;
}

/** Returns the id: a JSON list, because names of tenants and users may have any characters. */
function idOf(holder: readonly string[]): string {
	return JSON.stringify(holder);
}
