/** The platform as its users run it: a process of its own with a data folder of its own. */
import { startPlatform, type TestPlatform } from "../test/support/platform/start-platform.ts";

/** All of it but the pod manager: sessions are kept and never started, so nothing happens beside what is measured. */
const withoutPods = [["gateway", "stream", "event-log", "sessions", "blueprints", "settings", "identity"]];

export interface BenchPlatform extends AsyncDisposable {
	readonly platform: TestPlatform;
	readonly pid: number;
}

/** @param dataDir A data folder that is there already. */
export async function platformWithoutPods(dataDir?: string): Promise<BenchPlatform> {
	const options = { processes: withoutPods, readyAt: "/api/v1/svc/sessions" };
	return opened(await startPlatform({ ...options, ...(dataDir !== undefined && { dataDir }) }));
}

export async function wholePlatform(): Promise<BenchPlatform> {
	return opened(await startPlatform());
}

function opened(platform: TestPlatform): BenchPlatform {
	const pid = platform.processes[0]?.pid;
	if (pid === undefined) throw new Error("The platform has no process");
	return { platform, pid, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() };
}
