/** Ends or leaves running pods when the platform ends in order. */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { graceMs } from "./reconciliation/pass.ts";
import { isAlive, type Pod, podName, type PodRuntime } from "./pod-runtime.ts";

/** The time that the end of killed pods is awaited, in milliseconds. */
const killMs = 4_000;
const againMs = 250;

/** Ends every pod of the installation; resolves when none exists any more, or 4 s after the last one was killed. Returns how many ran. */
export async function endAllPods(runtime: PodRuntime, orderlyMs = graceMs): Promise<number> {
	const since = monotonic();
	const ended = new Set<string>();
	while (monotonic() - since < orderlyMs + killMs) {
		const alive = (await runtime.inventory()).pods.filter(isAlive);
		for (const pod of alive.filter(isRunning)) ended.add(podName(pod.sessionId, pod.generation));
		if (alive.length === 0) break;
		await Promise.all(alive.map((pod) => runtime.end(pod, orderlyMs)));
		await sleep(againMs);
	}
	return ended.size;
}

function isRunning({ state }: Pod): boolean {
	return state === "launching" || state === "ready";
}

/** Returns the sentence for the person who ends the platform with its sessions; undefined when there were none. */
export function endedSessions(count: number): string | undefined {
	if (count === 0) return undefined;
	return `${count === 1 ? "1 session was" : `${count} sessions were`} ended, as PODS__ON_EXIT=stop says`;
}

/** Returns the sentence for the person who ends the platform; undefined when no session continues to run. */
export async function stillRunning(runtime: PodRuntime): Promise<string | undefined> {
	const running = (await runtime.inventory()).pods.filter(isRunning);
	if (running.length === 0) return undefined;
	if (running.length === 1)
		return "1 session keeps running; it is found again at the next start (PODS__ON_EXIT=stop ends it instead)";
	return `${running.length} sessions keep running; they are found again at the next start (PODS__ON_EXIT=stop ends them instead)`;
}
