/** Reads the git providers of the configuration. */
import { baseUrl } from "#shared/base/base-url.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { gitHostTypes } from "#shared/base/git-hosts.ts";
import { type Config, ConfigError, environmentSecret } from "#shared/config/config.ts";
import type { GitProvider, GitProviderOptions } from "./git-provider.ts";
import type { ProviderMaker } from "./provider-maker.ts";

type ProviderConfig = Config["git"]["github"];

export interface ConfiguredProvider {
	readonly provider: GitProvider;
	/** Empty: it sends no webhooks. */
	readonly webhookSecret: string;
}

/** Returns the providers of the configuration in the order in which they are asked. @throws {ConfigError} */
export async function configuredProviders(git: Config["git"], maker: ProviderMaker): Promise<ConfiguredProvider[]> {
	const named = gitHostTypes.flatMap((type) =>
		instancesOf(type, git[type]).map((instance, index) => ({ type, instance, key: keyOf(type, git[type], index) })),
	);
	const providers: ConfiguredProvider[] = [];
	for (const { type, instance, key } of named) {
		const { webhookSecret, ...options } = instance;
		if (providers.some(({ provider }) => provider.name === instance.name))
			throw new ConfigError(
				`Configuration key "${key}.name": two git providers cannot have the name "${instance.name}"`,
			);
		if (instance.base_url !== undefined && !/^https?:\/\//.test(instance.base_url))
			throw new ConfigError(`Configuration key "${key}.base_url" must begin with https:// or http://`);
		const provider = await maker.make(type, { ...options, isConfigured: true }).catch((error: unknown) => {
			if (!(error instanceof UnprocessableError)) throw error;
			throw new ConfigError(`Configuration key "${key}.base_url": ${error.message}`, { cause: error });
		});
		providers.push({ provider, webhookSecret });
	}
	return providers;
}

/** Returns the key under which a person has written an instance; without a list, the kind has the only one. */
function keyOf(type: string, { instances }: ProviderConfig, index: number): string {
	return instances.length === 0 ? `git.${type}` : `git.${type}.instances.${index}`;
}

type Instance = Pick<GitProviderOptions, "name" | "base_url" | "token" | "orgs"> & { webhookSecret: string };

/** An instance without a token or secret of its own has that of all instances. */
function instancesOf(type: string, config: ProviderConfig): Instance[] {
	const { enabled, base_url, orgs, instances } = config;
	const token = secretIn(config, "token");
	const webhookSecret = secretIn(config, "webhook_secret");
	const isOn = enabled ?? (token !== "" || instances.length > 0);
	if (!isOn) return [];
	if (instances.length === 0) return [{ name: type, base_url: given(base_url), token, orgs, webhookSecret }];
	return instances.map((instance) => ({
		name: instance.name,
		base_url: given(instance.base_url) ?? given(base_url),
		token: secretIn(instance, "token") || token,
		orgs: instance.orgs,
		webhookSecret: secretIn(instance, "webhook_secret") || webhookSecret,
	}));
}

type Secret = "token" | "webhook_secret";

/** A value of its own has precedence over a variable. */
function secretIn(config: Record<Secret | `${Secret}_env`, string>, key: Secret): string {
	const variable = config[`${key}_env`];
	return config[key] || (variable && environmentSecret(variable));
}

function given(url: string): string | undefined {
	return url === "" ? undefined : baseUrl(url);
}
