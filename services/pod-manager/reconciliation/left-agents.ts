/** Ends the session agents that go on working when the platform has ended, before a restore replaces what they work with. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "#host/archive/archive-format.ts";
import type { Config } from "#shared/config/config.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { endAllPods } from "../exit.ts";
import { isAlive, loadRuntime } from "../pod-runtime.ts";

/** @throws {ArchiveError} when one does not end. */
export async function endLeftAgents(config: Config, say: (line: string) => void): Promise<void> {
	const { data_dir: folder, installation_key: key } = config;
	// A folder that lacks one of them has never had an agent, and asking for them would make them.
	if (!existsSync(join(folder, "host", "id")) || (key === "" && !existsSync(join(folder, "keys", "installation"))))
		return;
	// Nothing is started here, so no model is called.
	const models = { accessOf: () => undefined, modelOf: async () => "" };
	const runtime = await loadRuntime(config, openInstallationKey(folder, key), models);
	const living = async () => (await runtime.inventory()).pods.filter(isAlive).length;
	const count = await living();
	if (count === 0) return;
	say(`Ends the session agents that still work with "${folder}": ${count}`);
	await endAllPods(runtime);
	const left = await living();
	if (left > 0)
		throw new ArchiveError(`Session agents of "${folder}" do not end: ${left}; end them, and restore again`);
}
