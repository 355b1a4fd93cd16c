/** Says when a session gets its next pass. Pure but for the chance in long pauses. */
import { type BackoffRule, backoffMs } from "#shared/base/concurrency/backoff.ts";
import type { ObservedPhase } from "#shared/contracts/sessions/session-work.ts";

/** The milliseconds until the next pass over a session in this phase; a ready session waits for a change instead. */
const usualMs: Record<ObservedPhase, number> = {
	absent: 0,
	blocked: 250,
	launching: 1_000,
	ready: 30_000,
	failed: 250,
	leaving: 250,
};

/** The phases in which something ends. On a host that is lost it may end in hours, or never. */
const ending: readonly ObservedPhase[] = ["blocked", "failed", "leaving"];
/** The passes at the usual speed. */
const quickPasses = 20;
const afterThem: BackoffRule = { firstMs: 500, maxMs: 10_000 };

/** The passes over a pod that starts at the usual speed, and the greatest pause later: its changes are told by the runtime's watch. */
const [quickLaunchPasses, longestLaunchMs] = [4, 5_000];

/** Returns the milliseconds. The change of a pod makes its session due earlier. @param attempts The passes so far; the first is 1. */
export function dueInMs(phase: ObservedPhase, attempts: number): number {
	if (phase === "launching" && attempts > quickLaunchPasses)
		return Math.min(longestLaunchMs, usualMs.launching * (attempts - quickLaunchPasses + 1));
	if (attempts <= quickPasses || !ending.includes(phase)) return usualMs[phase];
	return Math.round(backoffMs(attempts - quickPasses, afterThem));
}
