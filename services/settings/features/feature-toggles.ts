/** Decides which modules are switched on in a tenant: its administrators' choices, otherwise the modules' defaults. */
import { administersTenant } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { FeatureModule } from "#shared/contracts/settings/features.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { settingCollection } from "../record/setting-collection.ts";
import { SettingRecords } from "../record/setting-records.ts";
import { featureModules, type KnownModule } from "./feature-modules.ts";

export const featureToggleCollection = settingCollection("feature_toggles", "all");

type Toggles = Readonly<Record<string, boolean>>;

export class FeatureToggles {
	readonly #records: SettingRecords<Toggles>;

	constructor(store: Documents) {
		this.#records = new SettingRecords(store, featureToggleCollection);
	}

	/**
	 * Returns the modules that the principal sees. Administrators see all of them, others only those that are switched
	 * on and not meant for administrators.
	 */
	async seenBy(principal: Principal): Promise<FeatureModule[]> {
		const toggles = (await this.#records.read([principal.tenant])) ?? {};
		const modules = featureModules.map((known) => withSwitch(known, toggles));
		return administersTenant(principal) ? modules : modules.filter(({ enabled, admin_only }) => enabled && !admin_only);
	}

	/** Switches a module for the principal's tenant and returns it. @throws {NotFoundError} for an unknown key. */
	async set({ tenant }: Principal, key: string, enabled: boolean): Promise<FeatureModule> {
		const known = featureModules.find((one) => one.key === key);
		if (!known) throw new NotFoundError(`Module "${key}" does not exist`, "FEATURE_NOT_FOUND");
		const toggles = await this.#records.change([tenant], (former) => ({ ...former, [key]: enabled }));
		return withSwitch(known, toggles);
	}
}

function withSwitch(known: KnownModule, toggles: Toggles): FeatureModule {
	const { key, default_enabled } = known;
	const enabled = (Object.hasOwn(toggles, key) ? toggles[key] : undefined) ?? default_enabled;
	return { ...known, enabled };
}
