/** The parts that the runtimes for one machine have in common. */
import { type Inventory, isAlive, type Pod, podName } from "../../pod-runtime.ts";
import type { Launch } from "./launch.ts";
import type { RunFolders } from "./run-folders.ts";
import type { SessionFolders } from "./session-folders.ts";

/** Returns what is at the runtime, with the troubles of its two folders. */
export async function inventoryOf(
	pods: { all(): Promise<Pick<Inventory, "pods" | "unfinished">> },
	runs: RunFolders,
	sessions: SessionFolders,
): Promise<Inventory> {
	const [found, workspaces] = await Promise.all([pods.all(), sessions.list()]);
	const troubles = [runs.trash.trouble, sessions.trash.trouble].filter((trouble) => trouble !== undefined);
	return { ...found, workspaces, troubles };
}

/** Returns the launches that have no pod, as pods that are gone. */
export function unfinishedOf(launches: readonly Launch[], pods: readonly Pick<Pod, "name">[]): Pod[] {
	const names = new Set(pods.map(({ name }) => name));
	return launches.map(unfinishedPod).filter(({ name }) => !names.has(name));
}

function unfinishedPod({ sessionId, generation }: Launch): Pod {
	return { sessionId, generation, name: podName(sessionId, generation), state: "gone", timings: {} };
}

/**
 * Whether the pods of a session have this launch already. @throws {Error} when a pod of another launch lives: two must never share a
 * workspace.
 */
export function isThere(pods: readonly Pod[], { sessionId, generation }: Launch): boolean {
	if (pods.some((pod) => pod.generation === generation)) return true;
	const other = pods.find(isAlive);
	if (!other) return false;
	throw new Error(`Cannot start "${podName(sessionId, generation)}" while "${other.name}" lives`);
}
