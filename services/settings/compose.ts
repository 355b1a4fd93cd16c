/** The settings part. */
import { ConfigError } from "#shared/config/config.ts";
import type { Part, Platform } from "#shared/platform.ts";
import { settingsService } from "./settings.service.ts";

/** @throws {ConfigError} when a feature is switched on that this version does not have. */
export async function compose({ config: { features } }: Platform): Promise<Part> {
	for (const [name, on] of Object.entries(features)) {
		if (on) throw new ConfigError(`Configuration key "features.${name}" cannot be true: this version does not have it`);
	}
	return { services: [settingsService(features)] };
}
