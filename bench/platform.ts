/** Starts the platform as its users run it: as a separate process with its own data folder. */
import { serviceFolders } from "#host/service-folders.ts";
import { type PlatformOptions, startPlatform, type TestPlatform } from "../test/support/platform/start-platform.ts";

/**
 * The services without the pod manager: sessions are stored and never started, so nothing else happens during a
 * measurement.
 */
const withoutPods = [serviceFolders.filter((name) => name !== "pod-manager" && name !== "models")];

/** A running platform; its owner disposes of it. */
export interface BenchPlatform extends AsyncDisposable {
	readonly platform: TestPlatform;
	readonly pid: number;
}

/** @param options An existing data folder, default a new one; and an overlay of the configuration. */
export async function platformWithoutPods(
	options: Pick<PlatformOptions, "dataDir" | "config" | "readyAt"> = {},
): Promise<BenchPlatform> {
	return opened(await startPlatform({ processes: withoutPods, readyAt: "/api/v1/svc/sessions", ...options }));
}

export async function wholePlatform(options: Pick<PlatformOptions, "dataDir"> = {}): Promise<BenchPlatform> {
	return opened(await startPlatform(options));
}

function opened(platform: TestPlatform): BenchPlatform {
	const pid = platform.processes[0]?.pid;
	if (pid === undefined) throw new Error("The platform has no process");
	return { platform, pid, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() };
}
