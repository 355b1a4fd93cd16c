/** Ends the session agents that go on working when the platform has ended, before a restore replaces what they work with. */
import { ArchiveError } from "#host/archive/archive-format.ts";
import type { Config } from "#shared/config/config.ts";
import { endAllPods } from "../exit.ts";
import { isAlive } from "../pod-runtime.ts";
import { idleRuntime } from "../idle-runtime.ts";

/** @throws {ArchiveError} when one does not end. */
export async function endLeftAgents(config: Config, say: (line: string) => void): Promise<void> {
	const { data_dir: folder } = config;
	const runtime = await idleRuntime(config);
	if (!runtime) return;
	const living = async () => (await runtime.inventory()).pods.filter(isAlive).length;
	const count = await living();
	if (count === 0) return;
	say(`Ends the session agents that still work with "${folder}": ${count}`);
	await endAllPods(runtime);
	const left = await living();
	if (left > 0)
		throw new ArchiveError(`Session agents of "${folder}" do not end: ${left}; end them, and restore again`);
}
