/** Makes the configured runtime for the pods of this data folder. */
import { loadAdapter } from "#shared/config/adapter.ts";
import type { Config } from "#shared/config/config.ts";
import type { InstallationKey } from "#shared/secrets/keys.ts";
import { hostId } from "./host-id.ts";
import { type PodRuntime, podRuntimeMethods, type RuntimeHost } from "./pod-runtime.ts";

export function loadRuntime({ pods, data_dir }: Config, key: InstallationKey): Promise<PodRuntime> {
	const host: RuntimeHost = {
		dataDir: data_dir,
		installation: key.installationId(),
		markKey: key.podMarkKey(),
		host: hostId(data_dir),
	};
	return loadAdapter<PodRuntime>(pods.runtime, podRuntimeMethods, { ...host });
}
