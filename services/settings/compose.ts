/** The settings part. */
import { loadAdapter } from "#shared/config/adapter.ts";
import { ConfigError } from "#shared/config/config.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { TextSeal } from "#shared/base/secrets/sealed-text.ts";
import { adminSettingCollection, TenantSettings } from "./admin-settings/tenant-settings.ts";
import { FeaturePreferences, featurePreferenceCollection } from "./features/feature-preferences.ts";
import { FeatureToggles, featureToggleCollection } from "./features/feature-toggles.ts";
import { featuresService } from "./features.service.ts";
import { ConfiguredMcpServers } from "./mcp-servers/configured-mcp-servers.ts";
import { mcpServersService } from "./mcp-servers.service.ts";
import { staticResources } from "./resources/static-resources.ts";
import { resourcesService } from "./resources.service.ts";
import { secretCollection } from "./secrets/secret-collection.ts";
import { type SecretStore, secretStoreMethods } from "./secrets/secret-store.ts";
import { secretsService } from "./secrets.service.ts";
import { settingsService } from "./settings.service.ts";

export const collections = [
	featureToggleCollection,
	featurePreferenceCollection,
	adminSettingCollection,
	secretCollection,
] as const;

/** @throws {ConfigError} for local mounts without a folder that is allowed, and for an MCP server that cannot work. */
export async function compose({ config, store, key }: StoringPlatform): Promise<Part> {
	const { features, git, mcp_servers, tenants } = config;
	if (git.local_mounts.enabled && git.local_mounts.allowed_prefixes.length === 0)
		throw new ConfigError(
			'Configuration key "git.local_mounts.allowed_prefixes" is empty: name the folders of this machine that sessions may use; "/" stands for all',
		);
	const defaults = { storage: { home_enabled: true, file_manager_enabled: features.file_manager } };
	const seal = new TextSeal(key.userSecretsKey().toString("base64"));
	return {
		services: [
			settingsService(git, new TenantSettings(store, defaults)),
			featuresService(new FeatureToggles(store), new FeaturePreferences(store)),
			mcpServersService(new ConfiguredMcpServers(mcp_servers, tenants.default)),
			resourcesService(staticResources),
			secretsService(await loadAdapter<SecretStore>(config.secrets, secretStoreMethods, { store, seal })),
		],
	};
}
