/** Offers the switches of this server on the bus. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import type { Config } from "#shared/config/config.ts";
import { settings } from "#shared/contracts/settings/settings.ts";

export function settingsService({ local_mounts, file_manager }: Config["features"]): ServiceSchema {
	return {
		name: settings.name,
		actions: implement(settings, {
			feature_flags: async () => ({ local_mounts_enabled: local_mounts, file_manager_enabled: file_manager }),
		}),
	};
}
