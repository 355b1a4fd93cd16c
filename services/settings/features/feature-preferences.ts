/** The layout of the modules that each user has chosen: order and visibility. */
import type { Principal } from "#shared/base/principal.ts";
import type { Failure } from "#shared/base/schema/validator.ts";
import type { FeaturePreference } from "#shared/contracts/settings/features.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { settingCollection } from "../record/setting-collection.ts";
import { SettingRecords } from "../record/setting-records.ts";
import { featureModules } from "./feature-modules.ts";

export const featurePreferenceCollection = settingCollection("feature_preferences");

export class FeaturePreferences {
	readonly #records: SettingRecords<FeaturePreference[]>;

	constructor(store: Documents) {
		this.#records = new SettingRecords(store, featurePreferenceCollection);
	}

	/** Returns the principal's layout; empty when the principal has chosen none. */
	async of({ tenant, id }: Principal): Promise<FeaturePreference[]> {
		return (await this.#records.read([tenant, id])) ?? [];
	}

	/**
	 * Replaces the principal's layout and returns it in its order.
	 * @throws {InvalidParametersError} for a module that does not exist, and for one that is named twice.
	 */
	async replace({ tenant, id }: Principal, preferences: readonly FeaturePreference[]): Promise<FeaturePreference[]> {
		const keys = preferences.map(({ feature_key }) => feature_key);
		const failures = keys.flatMap((key, index) => mistakeOf(key, index, keys));
		if (failures.length > 0) throw new InvalidParametersError(failures);
		return this.#records.change([tenant, id], () => preferences.toSorted(byOrder));
	}
}

/** Returns what is wrong with the key at this place of the layout: a list of at most one failure. */
function mistakeOf(key: string, index: number, keys: readonly string[]): Failure[] {
	const path = ["preferences", index, "feature_key"];
	if (!featureModules.some((known) => known.key === key))
		return [{ type: "unknownModule", path, message: `Module "${key}" does not exist` }];
	if (keys.indexOf(key) === index) return [];
	return [{ type: "repeatedModule", path, message: `Module "${key}" is named twice` }];
}

function byOrder(a: FeaturePreference, b: FeaturePreference): number {
	return a.sort_order - b.sort_order || (a.feature_key < b.feature_key ? -1 : 1);
}
