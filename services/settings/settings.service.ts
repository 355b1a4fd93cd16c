/** Offers the switches of this server and the settings of tenants on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import type { Config } from "#shared/config/config.ts";
import { settings } from "#shared/contracts/settings/settings.ts";
import type { TenantSettings } from "./admin-settings/tenant-settings.ts";

export function settingsService({ local_mounts }: Config["git"], tenants: TenantSettings): ServiceSchema {
	return serviceOf(settings, {
		async feature_flags(_params, principal) {
			const { storage } = await tenants.of(principal);
			return { local_mounts_enabled: local_mounts.enabled, file_manager_enabled: storage.file_manager_enabled };
		},

		admin: (_params, principal) => tenants.of(principal),

		update_admin: (update, principal) => tenants.change(principal, update),
	});
}
