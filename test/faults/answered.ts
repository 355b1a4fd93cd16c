/** Sends a request that is safe to repeat until its answer is final. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../support/clients/api-client.ts";
import { patience } from "../support/machine/patience.ts";

/** The time on a machine without other work; it grows with the load, four times at most. */
const usuallyWithinMs = 120_000;

/** Too many changes of one object are under way; the request was not begun. */
const busy = 429;

/**
 * @param send Resolves with undefined when the connection is lost. @throws {Error} when no answer below 500
 * comes in time, or none but 429.
 */
export async function answered<T>(send: () => Promise<Answer<T> | undefined>): Promise<Answer<T>> {
	const withinMs = usuallyWithinMs * Math.min(4, patience());
	const end = performance.now() + withinMs;
	for (let last = "none at all"; ; await sleep(50)) {
		const answer = await send().catch(() => undefined);
		if (answer && answer.status < 500 && answer.status !== busy) return answer;
		if (answer) last = `${answer.status} ${answer.text}`;
		if (performance.now() > end) throw new Error(`No answer within ${withinMs} ms; the last one: ${last}`);
	}
}
