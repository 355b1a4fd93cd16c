/**
 * Chooses where sessions run when the configuration leaves it open (`pods.runtime.adapter: auto`): in containers where an engine
 * and the image of sessions are there, otherwise as processes of this machine.
 */
// oxlint-disable-next-line no-restricted-imports -- the platform's own folder, which its runtimes make
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { loadAdapterClass } from "#shared/config/adapter.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";

/** The value of `pods.runtime.adapter` that leaves the choice to the start. */
export const openChoice = "auto";

const containers = "services/pod-manager/pod-runtimes/containers.ts#ContainersRuntime";
const processes = "services/pod-manager/pod-runtimes/local-process.ts#LocalProcessRuntime";
const maxBytes = 64;
/** The file that the runtime for containers writes when its engine was proven. */
const containersMark = join("host", "runtime");

interface RuntimeChoice {
	readonly ref: AdapterRef;
	/** The choice with its reason, for the operator. */
	readonly sentence: string;
}

/**
 * Returns the choice. It stays once an engine was proven to confine sessions: the other runtime would not know those of its
 * containers, so an engine that is away now must not change it.
 * @param dataDir The platform's data folder.
 */
export async function chosenRuntime(asked: AdapterRef, dataDir: string): Promise<RuntimeChoice> {
	const inContainers = { ref: { ...asked, adapter: containers } };
	const former = await readUntrusted(join(dataDir, containersMark), maxBytes);
	if (former?.toString("utf8") === "containers")
		return { ...inContainers, sentence: "Sessions run in containers, as they did before" };
	const unusable = await unusableBecause(asked);
	if (unusable === undefined && !hasLaunches(dataDir))
		return { ...inContainers, sentence: "Sessions run in containers: a container engine and their image are there" };
	const why = unusable ?? "some of them still run, or are to be cleared away";
	return {
		ref: { adapter: processes, kwargs: {}, secret_kwargs_env: {} },
		sentence: `Sessions run as processes of this machine, and not in containers: ${why} (docs/session-containers.md)`,
	};
}

async function unusableBecause(asked: AdapterRef): Promise<string | undefined> {
	const { unusableBecause: ask } = await loadAdapterClass({ adapter: containers });
	return typeof ask === "function" ? ask(asked.kwargs) : "the runtime for containers cannot be asked";
}

/** Whether sessions of a runtime for this machine are there. */
function hasLaunches(dataDir: string): boolean {
	try {
		return readdirSync(join(dataDir, "run")).some((name) => !name.startsWith("."));
	} catch {
		return false;
	}
}
