/** The trackers of the configuration: those of everybody who has no connection of their own. */
import { type Config, ConfigError, environmentSecret } from "#shared/config/config.ts";
import type { TrackerConnection } from "./trackers/connected-trackers.ts";

/**
 * Returns the trackers, the default first.
 * @param secret Reads an environment variable; default this process's.
 * @throws {ConfigError} when Linear is enabled without a key.
 */
export function configuredTrackers(
	{ linear, tracker }: Pick<Config, "linear" | "tracker">,
	secret: (name: string) => string = environmentSecret,
): TrackerConnection[] {
	const found: TrackerConnection[] = [];
	const { adapter, kwargs, secret_kwargs_env } = tracker;
	if (adapter !== "") {
		const secrets = Object.entries(secret_kwargs_env).map(([name, variable]) => [name, secret(variable)]);
		found.push({ id: null, slug: adapter, adapter, config: kwargs, credential: Object.fromEntries(secrets) });
	}
	if (linear.enabled) {
		const { api_key, api_url } = linear;
		if (api_key === "")
			throw new ConfigError('Configuration key "linear.api_key" is empty, and "linear.enabled" is true');
		found.push({ id: null, slug: "linear", adapter: "linear", config: { api_url }, credential: { api_key } });
	}
	return found;
}
