/** The runtime of an installation for a command that starts no pods, beside a platform or without one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#shared/config/config.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { loadRuntime, type PodRuntime } from "./pod-runtime.ts";

/** Resolves to the runtime, which is not open; undefined when the installation has never had a pod. */
export async function idleRuntime(config: Config): Promise<PodRuntime | undefined> {
	const { data_dir: folder, installation_key: key } = config;
	// A folder that lacks one of them has never had an agent, and asking for them would make them.
	if (!existsSync(join(folder, "host", "id")) || (key === "" && !existsSync(join(folder, "keys", "installation"))))
		return undefined;
	// Nothing is started here, so no model is called.
	const models = { accessOf: () => undefined, modelOf: async () => "" };
	const launches = { specOf: async () => undefined, existingOf: async () => [] };
	return await loadRuntime(config, openInstallationKey(folder, key), { models, launches, metrics: new Metrics() });
}
