/** Reads files of sessions for a backup by a process that may not read them itself. */
import type { Config } from "#shared/config/config.ts";
import { idleRuntime } from "./idle-runtime.ts";
import type { PodRuntime } from "./pod-runtime.ts";

interface OpenedFiles extends AsyncDisposable {
	readonly read: NonNullable<PodRuntime["readFiles"]>;
}

/** Resolves to the reader; undefined when the runtime of the configuration has none. */
export async function openSessionFiles(config: Config): Promise<OpenedFiles | undefined> {
	const runtime = await idleRuntime(config);
	const read = runtime?.readFiles?.bind(runtime);
	return runtime && read && { read, [Symbol.asyncDispose]: () => runtime.close() };
}
