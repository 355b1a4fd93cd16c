/** What becomes of running pods when the platform ends in order. */
import { monotonic, sleep } from "#shared/clock.ts";
import { graceMs } from "./pass.ts";
import type { PodRuntime } from "./pod-runtime.ts";

/** All pods are gone by then, or this end does not wait for them any longer. */
const endAllMs = 15_000;
const againMs = 250;

/** Ends every pod of the installation; resolves when none is left, after 15 s at the latest. */
export async function endAllPods(runtime: PodRuntime): Promise<void> {
	const since = monotonic();
	while (monotonic() - since < endAllMs) {
		const alive = (await runtime.list()).filter(({ state }) => state !== "gone");
		if (alive.length === 0) return;
		await Promise.all(alive.map((pod) => runtime.end(pod, graceMs)));
		await sleep(againMs);
	}
}

/** The sentence for the person who ends the platform; undefined when no session runs on. */
export async function leftRunning(runtime: PodRuntime): Promise<string | undefined> {
	const running = (await runtime.list()).filter(({ state }) => state === "launching" || state === "ready");
	if (running.length === 0) return undefined;
	if (running.length === 1) return "1 session keeps running; it is found again at the next start";
	return `${running.length} sessions keep running; they are found again at the next start`;
}
