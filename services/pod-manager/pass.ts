/** One pass over one session: look, decide, act, and say what is so. It may end anywhere; the next one goes on. */
import { monotonic } from "#shared/clock.ts";
import type { Claim, Observation, PassReport } from "#shared/contracts/session-work.ts";
import { failpoint } from "#shared/failpoints.ts";
import { dueInMs, plan, type Step } from "./plan.ts";
import type { PodRuntime, PodSpec } from "./pod-runtime.ts";

/** Both when a step failed after something was seen. */
export interface PassOutcome {
	readonly report?: PassReport;
	readonly trouble?: unknown;
}

export interface PassDependencies {
	readonly runtime: PodRuntime;
	/** What a pod is created from. @throws {Error} when the claim's launch settings cannot be used. */
	readonly specOf: (claim: Claim) => PodSpec;
}

/** What a pod gets to end in order: its coding agent sums the session up, for 15 s at most. */
export const graceMs = 20_000;

/** A lease lasts 15 s; after this part of it nothing outside is touched any more, because a newer pass may. */
const passMs = 9_000;

/** @param since Monotonic time before the claim was asked for. @throws {Error} when the pods could not be seen. */
export async function runPass(claim: Claim, dependencies: PassDependencies, since: number): Promise<PassOutcome> {
	refuseLate(since);
	const pods = await dependencies.runtime.find(claim.id);
	failpoint("pod-manager.looked");
	const decided = plan(claim, pods);
	if (!decided) return {};
	try {
		for (const step of decided.steps) {
			refuseLate(since);
			await take(step, claim, dependencies);
		}
		return { report: report(claim, decided.reached, dueInMs[decided.reached.phase]) };
	} catch (trouble) {
		return { trouble, report: report(claim, decided.found, backoffMs(claim.attempts)) };
	}
}

async function take(step: Step, claim: Claim, { runtime, specOf }: PassDependencies): Promise<void> {
	switch (step.kind) {
		case "create": {
			const spec = specOf(claim);
			failpoint("pod-manager.before-create");
			await runtime.create(spec);
			failpoint("pod-manager.after-create");
			return;
		}
		case "end":
			return runtime.end(step.pod, graceMs);
		case "forget":
			return runtime.forget(step.pod);
		case "purge":
			return runtime.purge(claim.id);
	}
}

function refuseLate(since: number): void {
	if (monotonic() - since > passMs) throw new Error(`A pass took longer than ${passMs} ms`);
}

function report({ id, fence, generation }: Claim, observed: Observation, due_in_ms: number): PassReport {
	return { id, fence, generation, observed, due_in_ms };
}

/** 1 s after the first attempt, doubled up to 30 s; half of it by chance, so that many failures do not return as one. */
export function backoffMs(attempts: number): number {
	const most = Math.min(1_000 * 2 ** Math.max(0, attempts - 1), 30_000);
	return Math.round(most * (0.5 + Math.random() / 2));
}
