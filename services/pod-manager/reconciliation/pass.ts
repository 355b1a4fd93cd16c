/** One pass over one session: observe, plan, act and report. It may be interrupted anywhere; the next pass continues. */
import { type BackoffRule, backoffMs } from "#shared/base/concurrency/backoff.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { after, monotonic } from "#shared/base/clock.ts";
import type { Claim, Observation, PassReport } from "#shared/contracts/sessions/session-work.ts";
import { missingHostFiles } from "#shared/wire/launch/host-files.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { dueInMs } from "./due-time.ts";
import { phaseOnly, plan, shortened, type Step } from "./plan.ts";
import { PodRefused } from "../pod-refused.ts";
import type { Pod, PodRuntime, PodSpec } from "../pod-runtime.ts";

/** The outcome of a pass; it has both members when a step failed after an observation, or when the place is away. */
interface PassOutcome {
	readonly report?: PassReport;
	readonly trouble?: unknown;
}

/** The runtime, and the services that a pass asks. */
export interface PassDependencies {
	readonly runtime: PodRuntime;
	/** Makes the specification of a pod. @throws {Error} when the claim's launch settings cannot be used. */
	readonly specOf: (claim: Claim) => PodSpec;
	/**
	 * Returns the secrets of a launch; undefined: it has none. @throws {Error} when they cannot be had now, and a later
	 * pass has to try again.
	 */
	readonly secretsOf?: (claim: Claim) => Promise<PodSecrets | undefined>;
	/** Learns which pod of this launch a pass has found; undefined: none that should run. It must not throw. */
	readonly onFound?: (claim: Claim, pod: Pod | undefined) => void;
}

/** The time that a pod has to end in order, in milliseconds: its coding agent summarises the session for up to 15 s. */
export const graceMs = 20_000;

/** The part of a lease of 15 s in which a pass acts, in milliseconds. Later a newer pass may be acting on the same pods. */
const passMs = 9_000;

/** The delay before the next pass when a step has failed. */
const afterFailure: BackoffRule = { firstMs: 1_000, maxMs: 30_000 };

/**
 * Runs a pass. @param since The monotonic time before the claim was requested. @throws {Error} when the pods could not
 * be observed.
 */
export async function runPass(claim: Claim, dependencies: PassDependencies, since: number): Promise<PassOutcome> {
	refuseLate(since);
	const over = new AbortController();
	const timer = after(Math.max(0, since + passMs - monotonic()), () => over.abort(tooLong()));
	try {
		return await pass(claim, dependencies, { since, signal: over.signal });
	} finally {
		timer.cancel();
	}
}

/** The time of one pass. */
interface PassTime {
	/** The monotonic time before the claim was requested. */
	readonly since: number;
	/** It aborts when the pass has to have ended. */
	readonly signal: AbortSignal;
}

async function pass(claim: Claim, dependencies: PassDependencies, { since, signal }: PassTime): Promise<PassOutcome> {
	const pods = await dependencies.runtime.find(claim.id, signal, claim.generation).catch(refusalOf);
	// Nothing was seen, so nothing may follow but the reason.
	if (pods instanceof PodRefused) return failed(claim, phaseOnly("blocked"), pods);
	failpoint("pod-manager.looked");
	const decided = plan(claim, pods);
	if (!decided) return {};
	const own = pods.find(({ generation }) => generation === claim.generation);
	dependencies.onFound?.(claim, claim.desired === "run" ? own : undefined);
	try {
		for (const step of decided.steps) {
			refuseLate(since);
			await take(step, claim, dependencies, signal);
		}
		return { report: report(claim, decided.reached, dueInMs(decided.reached.phase, claim.attempts)) };
	} catch (trouble) {
		if (isFinal(trouble) && claim.desired === "run") return { report: refusedFor(claim, trouble) };
		return failed(claim, decided.found, trouble);
	}
}

/** Returns the outcome when a step has failed. A refusal is told to the person who waits for the session. */
function failed(claim: Claim, found: Observation, trouble: unknown): PassOutcome {
	const waiting = trouble instanceof PodRefused && { waiting: reasonOf(trouble) };
	const observed = { ...found, ...waiting };
	return { trouble, report: report(claim, observed, Math.round(backoffMs(claim.attempts, afterFailure))) };
}

function isFinal(trouble: unknown): trouble is PodRefused {
	return trouble instanceof PodRefused && trouble.final;
}

/** Returns the report of a launch that no further attempt can help. */
function refusedFor(claim: Claim, refusal: PodRefused): PassReport {
	return report(claim, { ...phaseOnly("failed"), failure: reasonOf(refusal) }, dueInMs("failed", claim.attempts));
}

function reasonOf({ code, message }: PodRefused): PodFailure {
	return shortened({ code, message });
}

/** @throws {unknown} what is no refusal. */
function refusalOf(error: unknown): PodRefused {
	if (error instanceof PodRefused) return error;
	throw error;
}

async function take(step: Step, claim: Claim, dependencies: PassDependencies, signal: AbortSignal): Promise<void> {
	const { runtime } = dependencies;
	switch (step.kind) {
		case "create": {
			const spec = await specWithSecrets(claim, dependencies);
			refuseMounts(spec, runtime);
			failpoint("pod-manager.before-create");
			await runtime.create(spec, signal);
			failpoint("pod-manager.after-create");
			return;
		}
		case "end":
			return runtime.end(step.pod, graceMs, signal);
		case "forget":
			return runtime.forget(step.pod, signal);
		case "purge":
			return runtime.purge(claim.id, signal);
	}
}

/** A workspace that was cloned elsewhere needs its `file` repository no more, so only folders are refused. @throws {PodRefused} */
function refuseMounts({ mounts }: PodSpec, { hasHostFiles }: PodRuntime): void {
	const missing = hasHostFiles ? undefined : missingHostFiles({ mounts, repositories: [] });
	if (missing !== undefined) throw new PodRefused("MOUNT_FAILED", missing.sentence, { final: true });
}

/** Returns the specification of the pod of a claim, with the secrets that its programs get. @throws {Error} */
export async function specWithSecrets(
	claim: Claim,
	{ specOf, secretsOf }: Pick<PassDependencies, "specOf" | "secretsOf">,
): Promise<PodSpec> {
	const secrets = await secretsOf?.(claim);
	return { ...specOf(claim), ...(secrets && { secrets }) };
}

function refuseLate(since: number): void {
	if (monotonic() - since > passMs) throw tooLong();
}

function tooLong(): Error {
	return new Error(`A pass took longer than ${passMs} ms`);
}

function report({ id, fence, generation }: Claim, observed: Observation, due_in_ms: number): PassReport {
	return { id, fence, generation, observed, due_in_ms };
}
