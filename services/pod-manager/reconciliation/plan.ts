/** Plans a pass: from the desired state and the present pods of a session to steps and a report. Pure. */
import { fitsJson } from "#shared/base/schema/json-size.ts";
import {
	type Claim,
	maxObservedClones,
	type Observation,
	observedLengths,
	type ObservedPhase,
	observedTimingsBytes,
	podLost,
	podWarnings,
} from "#shared/contracts/sessions/session-work.ts";
import { isBranchName } from "#shared/wire/git/branch-name.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { isAlive, type Pod, podName, type PodState } from "../pod-runtime.ts";
import { oneLine, plainText } from "#shared/base/one-line.ts";

export type Step =
	| { readonly kind: "create" }
	| { readonly kind: "end"; readonly pod: Pod }
	| { readonly kind: "forget"; readonly pod: Pod }
	| { readonly kind: "purge" };

interface Plan {
	readonly steps: readonly Step[];
	/** The observation when all steps have succeeded. */
	readonly reached: Observation;
	/** The observation when a step has failed. */
	readonly found: Observation;
}

const phases: Record<PodState, ObservedPhase> = {
	launching: "launching",
	ready: "ready",
	failed: "failed",
	leaving: "leaving",
	gone: "failed",
};

/** Returns the plan; undefined when a pod of a newer launch shows that this claim is outdated. */
export function plan(claim: Claim, pods: readonly Pod[]): Plan | undefined {
	if (pods.some(({ generation }) => generation > claim.generation)) return undefined;
	return claim.desired === "run" ? planRun(claim, pods) : planEnd(claim.desired === "purge", pods);
}

/**
 * Plans a run: only the pod of this launch may exist. It is created once, and its records explain a failure. One that ran
 * and has left no records, because its host was lost or restored, is not made again: people would not learn of it.
 */
function planRun({ id, generation, has_run }: Claim, pods: readonly Pod[]): Plan {
	const older = pods.filter((pod) => pod.generation < generation);
	const clearing = older.map(removal);
	if (older.some(isAlive)) return steady(clearing, { ...phaseOnly("blocked"), ...waitingOf(older) });
	const own = pods.find((pod) => pod.generation === generation);
	if (!own && has_run) return steady(clearing, phaseOnly("absent"));
	if (!own) {
		const reached = { ...phaseOnly("launching"), pod_name: podName(id, generation) };
		return { steps: [...clearing, { kind: "create" }], reached, found: phaseOnly("absent") };
	}
	const ending = own.state === "failed" || own.state === "leaving";
	return steady(ending ? [...clearing, removal(own)] : clearing, observationOf(own));
}

function planEnd(purge: boolean, pods: readonly Pod[]): Plan {
	const clearing = pods.map(removal);
	if (pods.some(isAlive)) return steady(clearing, phaseOnly("leaving"));
	const found = phaseOnly("absent");
	if (!purge) return steady(clearing, found);
	return { steps: [...clearing, { kind: "purge" }], reached: { ...found, purged: true }, found };
}

function removal(pod: Pod): Step {
	return { kind: isAlive(pod) ? "end" : "forget", pod };
}

/** Returns a plan whose steps do not change the observation. */
function steady(steps: readonly Step[], observed: Observation): Plan {
	return { steps, reached: observed, found: observed };
}

/** Returns the first reason for which one of the pods waits. */
function waitingOf(pods: readonly Pod[]): Pick<Observation, "waiting"> {
	const waiting = pods.find((pod) => isAlive(pod) && pod.waiting)?.waiting;
	return waiting ? { waiting: shortened(waiting) } : {};
}

/** Returns an observation that says nothing but the phase. */
export function phaseOnly(phase: ObservedPhase): Observation {
	return { phase, timings: {}, purged: false };
}

function observationOf(pod: Pod): Observation {
	const { name, state, address, failure, timings, agent_title, progress } = pod;
	const phase = phases[state];
	return {
		phase,
		pod_name: name,
		timings: boundedTimings(timings),
		purged: false,
		...(address !== undefined && { address }),
		...(phase === "failed" && { failure: shortened(failure ?? podLost) }),
		...(phase === "launching" && waitingOf([pod])),
		...(progress !== undefined && phase === "launching" && { progress: oneLine(progress, observedLengths.progress) }),
		...foundOf(pod),
		...(agent_title !== undefined && { agent_title: oneLine(agent_title, observedLengths.agent_title) }),
	};
}

type FoundLists = Pick<Observation, "clones" | "branches" | "warnings">;

function foundOf({ clones = [], branches = [], warnings = [] }: Pod): FoundLists {
	return {
		...(clones.length > 0 && { clones: boundedClones(clones) }),
		...(branches.length > 0 && { branches: boundedBranches(branches) }),
		...(warnings.length > 0 && { warnings: boundedWarnings(warnings) }),
	};
}

/** The names of steps, and their times. */
const [stepForm, timeForm] = [/^[a-z][a-z_]{0,39}$/, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/];
/** The steps of the platform, which a pod does not take. */
const ownSteps: ReadonlySet<string> = new Set(["requested", "claimed"]);

/** Leaves out what is no time of a step of the pod. */
function boundedTimings(timings: Pod["timings"]): Observation["timings"] {
	const isStep = ([step, time]: [string, string]) => stepForm.test(step) && !ownSteps.has(step) && timeForm.test(time);
	const steps = Object.fromEntries(Object.entries(timings).filter(isStep));
	return fitsJson(steps, observedTimingsBytes) ? steps : {};
}

/** Leaves out what does not fit, or what a terminal would obey, because a pod may report anything. */
function boundedClones(clones: NonNullable<Pod["clones"]>): NonNullable<Observation["clones"]> {
	const fitting = clones.filter(({ path }) => path.length <= observedLengths.path && !/[\p{Cc}\p{Cf}]/u.test(path));
	return fitting.slice(0, maxObservedClones);
}

/** Leaves out what does not fit, or what no branch can be called. */
function boundedBranches(branches: NonNullable<Pod["branches"]>): NonNullable<Observation["branches"]> {
	const fitting = branches.filter(({ path, branch }) => path.length <= observedLengths.path && isBranchName(branch));
	return fitting.slice(0, maxObservedClones).map(({ path, branch }) => ({ path, branch }));
}

function boundedWarnings(warnings: NonNullable<Pod["warnings"]>): NonNullable<Observation["warnings"]> {
	return warnings.slice(0, podWarnings.count).map((sentence) => oneLine(sentence, podWarnings.length));
}

/** Shortens the texts of a failure, because a pod may report anything and the report must fit. */
export function shortened({ code, message }: PodFailure): PodFailure {
	return { code: oneLine(code, observedLengths.code), message: plainText(message, observedLengths.message) };
}
