/** Ends or leaves running pods when the platform ends in order. */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { graceMs } from "./reconciliation/pass.ts";
import { isAlive, type PodRuntime } from "./pod-runtime.ts";

/** The time that the end of killed pods is awaited, in milliseconds. */
const killMs = 4_000;
const againMs = 250;

/** Ends every pod of the installation; resolves when none exists any more, or 4 s after the last one was killed. */
export async function endAllPods(runtime: PodRuntime, orderlyMs = graceMs): Promise<void> {
	const since = monotonic();
	while (monotonic() - since < orderlyMs + killMs) {
		const alive = (await runtime.inventory()).pods.filter(isAlive);
		if (alive.length === 0) return;
		await Promise.all(alive.map((pod) => runtime.end(pod, orderlyMs)));
		await sleep(againMs);
	}
}

/** Returns the sentence for the person who ends the platform; undefined when no session continues to run. */
export async function stillRunning(runtime: PodRuntime): Promise<string | undefined> {
	const running = (await runtime.inventory()).pods.filter(({ state }) => state === "launching" || state === "ready");
	if (running.length === 0) return undefined;
	if (running.length === 1)
		return "1 session keeps running; it is found again at the next start (PODS__ON_EXIT=stop ends it instead)";
	return `${running.length} sessions keep running; they are found again at the next start (PODS__ON_EXIT=stop ends them instead)`;
}
