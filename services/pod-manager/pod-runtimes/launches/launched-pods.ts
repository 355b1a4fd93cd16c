/** Compares the launches of a place with the pods that are there. Pure. */
import { isAlive, type Pod, podName } from "../../pod-runtime.ts";
import type { Launch } from "./launch.ts";

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
