/** What a pass does about the pods of a session: from what should be and what is there to steps and a report. Pure. */
import { fitsJson } from "#shared/bus/json-size.ts";
import {
	type Claim,
	type Observation,
	observedLengths,
	type ObservedPhase,
	observedTimingsBytes,
} from "#shared/contracts/session-work.ts";
import type { PodFailure } from "#shared/pod/status.ts";
import { type Pod, podName, type PodState } from "./pod-runtime.ts";

export type Step =
	| { readonly kind: "create" }
	| { readonly kind: "end"; readonly pod: Pod }
	| { readonly kind: "forget"; readonly pod: Pod }
	| { readonly kind: "purge" };

export interface Plan {
	readonly steps: readonly Step[];
	/** What holds when all steps are taken. */
	readonly reached: Observation;
	/** What holds when one of them fails. */
	readonly found: Observation;
}

const podLost = { code: "POD_LOST", message: "The session's pod ended without being asked to" };

const phases: Record<PodState, ObservedPhase> = {
	launching: "launching",
	ready: "ready",
	failed: "failed",
	leaving: "leaving",
	gone: "failed",
};

/** Milliseconds until the next look at a session in this phase; one that runs and is ready waits for a change instead. */
export const dueInMs: Record<ObservedPhase, number> = {
	absent: 0,
	blocked: 250,
	launching: 1_000,
	ready: 30_000,
	failed: 250,
	leaving: 250,
};

/** Undefined when there is nothing to do or say: a pod of a newer launch shows that this claim is out of date. */
export function plan(claim: Claim, pods: readonly Pod[]): Plan | undefined {
	if (pods.some(({ generation }) => generation > claim.generation)) return undefined;
	return claim.desired === "run" ? planRun(claim, pods) : planEnd(claim.desired === "purge", pods);
}

/** The pod of this launch and no other; it is started once only, and what is left of it tells why it failed. */
function planRun({ id, generation }: Claim, pods: readonly Pod[]): Plan {
	const older = pods.filter((pod) => pod.generation < generation);
	const clearing = older.map(removal);
	if (older.some(isAlive)) return steady(clearing, observation("blocked"));
	const own = pods.find((pod) => pod.generation === generation);
	if (!own) {
		const reached = { ...observation("launching"), pod_name: podName(id, generation) };
		return { steps: [...clearing, { kind: "create" }], reached, found: observation("absent") };
	}
	const ending = own.state === "failed" || own.state === "leaving";
	return steady(ending ? [...clearing, removal(own)] : clearing, observationOf(own));
}

function planEnd(purge: boolean, pods: readonly Pod[]): Plan {
	const clearing = pods.map(removal);
	if (pods.some(isAlive)) return steady(clearing, observation("leaving"));
	const found = observation("absent");
	if (!purge) return steady(clearing, found);
	return { steps: [...clearing, { kind: "purge" }], reached: { ...found, purged: true }, found };
}

function removal(pod: Pod): Step {
	return { kind: isAlive(pod) ? "end" : "forget", pod };
}

function isAlive({ state }: Pod): boolean {
	return state !== "gone";
}

/** A plan whose steps change nothing about what is reported. */
function steady(steps: readonly Step[], observed: Observation): Plan {
	return { steps, reached: observed, found: observed };
}

function observation(phase: ObservedPhase): Observation {
	return { phase, timings: {}, purged: false };
}

function observationOf({ name, state, address, failure, timings, agentTitle }: Pod): Observation {
	const phase = phases[state];
	return {
		phase,
		pod_name: name,
		timings: fitsJson(timings, observedTimingsBytes) ? { ...timings } : {},
		purged: false,
		...(address !== undefined && { address }),
		...(phase === "failed" && { failure: shortened(failure ?? podLost) }),
		...(agentTitle !== undefined && { agent_title: agentTitle.slice(0, observedLengths.agent_title) }),
	};
}

/** A pod may say anything; what it says too much must not stand in the way of the report. */
function shortened({ code, message }: PodFailure): PodFailure {
	return { code: code.slice(0, observedLengths.code), message: message.slice(0, observedLengths.message) };
}
