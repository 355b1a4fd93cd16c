/** Reads the git providers of the configuration. */
import { baseUrl } from "#shared/base/base-url.ts";
import { type Config, ConfigError, environmentSecret } from "#shared/config/config.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { gitHostTypes } from "#shared/base/git-hosts.ts";
import type { GitProvider, GitProviderOptions } from "./git-provider.ts";
import type { ProviderMaker } from "./provider-maker.ts";

type ProviderConfig = Config["git"]["github"];

/** Returns the providers of the configuration in the order in which they are asked. @throws {ConfigError} */
export async function configuredProviders(git: Config["git"], maker: ProviderMaker): Promise<GitProvider[]> {
	const named = gitHostTypes.flatMap((type) =>
		instancesOf(type, git[type]).map((instance, index) => ({ type, instance, key: `git.${type}.instances.${index}` })),
	);
	const providers: GitProvider[] = [];
	for (const { type, instance, key } of named) {
		if (providers.some(({ name }) => name === instance.name))
			throw new ConfigError(
				`Configuration key "${key}.name": two git providers cannot have the name "${instance.name}"`,
			);
		if (instance.base_url !== undefined && !/^https?:\/\//.test(instance.base_url))
			throw new ConfigError(`Configuration key "${key}.base_url" must begin with https:// or http://`);
		const made = maker.make(type, { ...instance, isConfigured: true });
		const refused = (error: unknown) => {
			if (!(error instanceof UnprocessableError)) throw error;
			throw new ConfigError(`Configuration key "git.${type}.base_url": ${error.message}`, { cause: error });
		};
		providers.push(await made.catch(refused));
	}
	return providers;
}

type Instance = Pick<GitProviderOptions, "name" | "base_url" | "token" | "orgs">;

/** A token of its own has precedence over a variable, and that over the token of all instances. */
function instancesOf(type: string, config: ProviderConfig): Instance[] {
	const { enabled, base_url, orgs, instances } = config;
	const shared = tokenOf(config, "");
	const isOn = enabled ?? (shared !== "" || instances.length > 0);
	if (!isOn) return [];
	if (instances.length === 0) return [{ name: type, base_url: given(base_url), token: shared, orgs }];
	return instances.map((instance) => ({
		name: instance.name,
		base_url: given(instance.base_url) ?? given(base_url),
		token: tokenOf(instance, shared),
		orgs: instance.orgs,
	}));
}

function tokenOf({ token, token_env }: { token: string; token_env: string }, otherwise: string): string {
	if (token !== "") return token;
	const fromVariable = token_env === "" ? "" : environmentSecret(token_env);
	return fromVariable === "" ? otherwise : fromVariable;
}

function given(url: string): string | undefined {
	return url === "" ? undefined : baseUrl(url);
}
