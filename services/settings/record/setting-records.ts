/**
 * The repository of settings. A change reads the setting, decides and writes by compare-and-set, so that concurrent
 * changes of different members are all applied.
 */
import { failpoint } from "#shared/base/failpoints.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import type { SettingCollection } from "./setting-collection.ts";

export class SettingRecords<Value extends object> {
	readonly #records: ResourcesIn<SettingCollection>;

	constructor(store: Documents, collection: SettingCollection) {
		const written = () => failpoint("settings.written");
		this.#records = new ResourceRecords(store, { collection, noun: "Setting", written });
	}

	/** Returns the setting; undefined when none is set. @param holder The tenant, and the user if it belongs to one. */
	async read(holder: readonly string[]): Promise<Value | undefined> {
		return valueOf(await this.#records.stored(idOf(holder)));
	}

	/**
	 * Changes the setting and returns it.
	 * @param decide Returns the new setting; it is called again after a lost race, so it has no side effects.
	 * @throws {UnavailableError} after 50 lost races.
	 */
	async change(holder: readonly string[], decide: (former: Value | undefined) => Value): Promise<Value> {
		const { wire } = await this.#records.put(idOf(holder), (former) => ({
			wire: JSON.stringify(decide(valueOf<Value>(former))),
		}));
		return JSON.parse(wire);
	}
}

function valueOf<Value>(document: { readonly wire: string } | undefined): Value | undefined {
	if (document === undefined) return undefined;
	const value: Value = JSON.parse(document.wire);
	return value;
}

/** Returns the id: a JSON list, because names of tenants and users may have any characters. */
function idOf(holder: readonly string[]): string {
	return JSON.stringify(holder);
}
