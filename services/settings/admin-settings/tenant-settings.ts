/** The settings that administrators turn for their tenant while the platform runs. */
import type { Principal } from "#shared/base/principal.ts";
import type { AdminSettings, AdminSettingsUpdate } from "#shared/contracts/settings/settings.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { settingCollection } from "../record/setting-collection.ts";
import { SettingRecords } from "../record/setting-records.ts";

export const adminSettingCollection = settingCollection("admin_settings", "all");

/** The choices of administrators; everything else has its default. */
interface ChosenSettings {
	readonly storage?: Partial<AdminSettings["storage"]>;
}

export class TenantSettings {
	readonly #records: SettingRecords<ChosenSettings>;
	readonly #defaults: AdminSettings;

	constructor(store: Documents, defaults: AdminSettings) {
		this.#records = new SettingRecords(store, adminSettingCollection);
		this.#defaults = defaults;
	}

	async of({ tenant }: Principal): Promise<AdminSettings> {
		return this.#withDefaults(await this.#records.read([tenant]));
	}

	/** Changes the members that the update names and returns all settings of the principal's tenant. */
	async change({ tenant }: Principal, { storage }: AdminSettingsUpdate): Promise<AdminSettings> {
		if (!storage) return this.#withDefaults(await this.#records.read([tenant]));
		const { home_enabled, file_manager_enabled } = storage;
		const named = { home_enabled, ...(file_manager_enabled !== undefined && { file_manager_enabled }) };
		const chosen = await this.#records.change([tenant], (former) => ({ storage: { ...former?.storage, ...named } }));
		return this.#withDefaults(chosen);
	}

	#withDefaults(chosen: ChosenSettings = {}): AdminSettings {
		return { storage: { ...this.#defaults.storage, ...chosen.storage } };
	}
}
