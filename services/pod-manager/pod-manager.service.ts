/** Wires the pod manager to the bus. It offers no action; it asks the sessions service for due sessions. */
import { randomUUID } from "node:crypto";
import type { Service, ServiceSchema } from "moleculer";
import { bound } from "#shared/base/bounds.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call, type Meta, on } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { type Claim, sessionDue, sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { departedOwners } from "#shared/bus/departed-owners.ts";
import type { Pod, PodSpec } from "./pod-runtime.ts";
import { DepartedPods } from "./running-pods/departed-pods.ts";
import { patientCaller } from "./patient-caller.ts";
import { connectedPeople, launchSecrets, renewedSecrets } from "./launch-secrets.ts";
import { tokensRenewed } from "#shared/contracts/integrations/oauth.ts";
import { workspaceDue, workspaceWork } from "#shared/contracts/workspaces/workspace-work.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { DiskGuard, type DiskGuardDependencies } from "./disk/disk-guard.ts";
import { WorkspaceLimits, type WorkspaceLimitsDependencies } from "./disk/workspace-limits.ts";
import { type PassDependencies, specWithSecrets } from "./reconciliation/pass.ts";
import { podSamples } from "./reconciliation/pass-metrics.ts";
import { Reconciler, type Work } from "./reconciliation/reconciler.ts";
import { type RenewalDependencies, RenewedSecrets } from "./running-pods/renewed-secrets.ts";
import { RunningSessions } from "./running-pods/running-sessions.ts";
import { type ExpectationQuery, type ExpectedPage, Sweep } from "./reconciliation/sweep.ts";
import { WorkspaceKeeper, type WorkspaceTasks } from "./workspace-keeper.ts";

const job = vouch(systemPrincipal("pod-manager"));

/** The timeout of a claim or a report, in milliseconds. Both together stay below the rest of a lease after a pass (6 s). */
const claimTimeoutMs = 2_000;
const observeTimeoutMs = 4_000;
const expectedTimeoutMs = 5_000;
const expectedLimit = 500;

/** The service and its two hooks for the part. */
export interface PodManager {
	readonly schema: ServiceSchema;
	/** Begins its end: claims nothing more and resolves when the passes under way are over. */
	readonly stop: () => Promise<void>;
	/** Resolves when commands are being carried out; rejects otherwise. */
	readonly check: () => Promise<void>;
}

/** Brings new values of its secrets to the pod of a claim. */
export type SendSecrets = RenewalDependencies["send"];

interface PodManagerDependencies extends PassDependencies {
	/** Takes what the machine could not do, after each comparison of pods and sessions. */
	readonly remaining?: ((troubles: readonly string[]) => void) | undefined;
	/** Receives the bus at the start. */
	readonly attach?: (bus: Caller) => void;
	/** The disk that the sessions share; absent: it is not guarded. */
	readonly disk?: Pick<DiskGuardDependencies, "lowMb" | "free"> | undefined;
}

/** @param startingPerOwner The most sessions of one owner that start at a time. */
export function podManager(
	dependencies: PodManagerDependencies,
	sendSecrets: SendSecrets,
	startingPerOwner: number,
	metrics: Metrics = new Metrics(),
): PodManager {
	let jobs: Jobs | undefined;
	metrics.sample("atelier_pods", () => podSamples(jobs?.sweep.pods ?? []));
	const stop = async () => {
		const { sweep, reconciler, keeper, running, renewals, owners, guard, limits } = jobs ?? {};
		const working = [sweep, reconciler, keeper, running, renewals, owners, guard, limits];
		await Promise.all(working.map(async (job) => job?.stop()));
	};
	const schema: ServiceSchema = {
		name: "pod-manager",

		events: {
			...on(sessionDue, () => jobs?.reconciler.hint()),
			...on(workspaceDue, () => jobs?.keeper.hint()),
			...on(tokensRenewed, ({ tenant, owner }) => jobs?.renewals.hint(tenant, owner)),
		},

		async started(this: Service) {
			const { broker } = this;
			const bus = patientCaller(broker, (action) => (broker.registry.actions.get(action)?.count() ?? 0) > 0);
			dependencies.attach?.(bus);
			const write = (sentence: string) => this.logger.warn(sentence);
			jobs = begun(bus, write, { ...dependencies, sendSecrets, startingPerOwner, metrics });
		},

		stopped: stop,
	};
	const check = async () => {
		if (!jobs) throw new Error("it has not started");
		await jobs.reconciler.check();
	};
	return { schema, stop, check };
}

interface JobDependencies extends PodManagerDependencies {
	readonly sendSecrets: SendSecrets;
	readonly startingPerOwner: number;
	readonly metrics: Metrics;
}

type Jobs = ReturnType<typeof begun>;

/** Begins the jobs of a pod manager. @param write Takes sentences for the log. */
function begun(bus: Caller, write: (sentence: string) => void, dependencies: JobDependencies) {
	const { runtime, disk, remaining, sendSecrets, startingPerOwner, metrics } = dependencies;
	const host = runtime.place?.host;
	const look = (session: string) => reconciler.look(session);
	const renewals = new RenewedSecrets({
		secretsOf: (claim, hasSome) => renewedSecrets(bus, claim, jobMeta(), hasSome),
		connected: (people) => connectedPeople(bus, people, jobMeta()),
		podOf: async ({ id, generation }) =>
			(await runtime.find(id, undefined, generation)).find((pod) => pod.generation === generation),
		send: sendSecrets,
		write,
	});
	const owners = new DepartedPods({ departed: departedOwners(() => bus), look });
	const running = new RunningSessions({
		launchOf: (id, generation) => launchNow(bus, { id, generation }),
		followers: [renewals, owners],
		write,
	});
	const passes: PassDependencies = {
		...dependencies,
		secretsOf: (claim) => launchSecrets(bus, claim, jobMeta()),
		onFound: (claim, pod) => running.passed(claim, pod),
	};
	const reconciler = new Reconciler(passes, workOver(bus, startingPerOwner, host), write, metrics);
	const expected = (asked: ExpectationQuery) => expectedOver(bus, asked, host);
	const unknownWorkspaces = (ids: string[]) => call(bus, workspaceWork.actions.unknown, { ids }, workOptions());
	const found = (pods: readonly Pod[]) => reconciler.keepOnly(running.found(pods));
	const sweep = new Sweep({ runtime, expected, unknownWorkspaces, look, found, remaining }, write);
	const keeper = new WorkspaceKeeper(runtime, workspaceTasksOver(bus, host), write);
	const guard = disk && new DiskGuard({ runtime, ...disk, ...stopsOver(bus), write });
	const usualBytes = runtime.workspaceBytes;
	const limits = disk && new WorkspaceLimits({ runtime, usualBytes, free: disk.free, ...stopsOver(bus), write });
	return { reconciler, sweep, keeper, running, renewals, owners, guard, limits };
}

function workOver(bus: Caller, starting_per_owner: number, host: string | undefined): Work {
	const { claim_due, observe } = sessionWork.actions;
	return {
		claim(limit, ids, under_way) {
			const shares = { starting_per_owner, passes_per_owner: bound.passesOfOne, under_way };
			const asked = { limit, ...shares, ...(ids && { ids }), ...(host && { host }) };
			return call(bus, claim_due, asked, { meta: jobMeta(), timeout: claimTimeoutMs });
		},
		observe: (report) => call(bus, observe, report, { meta: jobMeta(), timeout: observeTimeoutMs }),
	};
}

function workspaceTasksOver(bus: Caller, host: string | undefined): WorkspaceTasks {
	const { claim, report } = workspaceWork.actions;
	return {
		claim: (limit, measure) => call(bus, claim, { limit, measure, ...(host && { host }) }, workOptions()),
		report: (done) => call(bus, report, done, workOptions()),
	};
}

function stopsOver(
	bus: Caller,
): Pick<DiskGuardDependencies, "inUse" | "stopLargest"> & Pick<WorkspaceLimitsDependencies, "stop"> {
	const { in_use, disk_short, oversized } = workspaceWork.actions;
	return {
		stop: (workspace) => call(bus, oversized, workspace, workOptions()),
		inUse: (sessions) => call(bus, in_use, { sessions }, workOptions()),
		stopLargest: (measured, least_bytes) => call(bus, disk_short, { measured, least_bytes }, workOptions()),
	};
}

/** Resolves to the name of the model that a session has now. @throws {Error} */
export function modelOf(bus: Caller, id: string): Promise<string> {
	return call(bus, sessionWork.actions.model_of, { id }, workOptions());
}

/** Resolves to the specification of a pod that asks for its launch; undefined when it must not run. @throws {Error} */
export async function askedSpec(
	bus: Caller,
	pod: Pick<Claim, "id" | "generation">,
	specOf: PassDependencies["specOf"],
): Promise<PodSpec | undefined> {
	const claim = await launchNow(bus, pod);
	return claim ? specWithSecrets(claim, { specOf, secretsOf: () => launchSecrets(bus, claim, jobMeta()) }) : undefined;
}

/** Resolves to the launch that a session has now; undefined when its pod must not run. @throws {Error} */
async function launchNow(bus: Caller, pod: Pick<Claim, "id" | "generation">): Promise<Claim | undefined> {
	return (await call(bus, sessionWork.actions.launch_of, pod, workOptions())) ?? undefined;
}

/** Resolves to those of the sessions that are there. @throws {Error} */
export async function existingOf(bus: Caller, ids: readonly string[]): Promise<string[]> {
	const { sessions } = await expectedOver(bus, { ids: [...ids] }, undefined);
	return sessions.map(({ id }) => id);
}

function workOptions() {
	return { meta: jobMeta(), timeout: observeTimeoutMs };
}

function expectedOver(bus: Caller, asked: ExpectationQuery, host: string | undefined): Promise<ExpectedPage> {
	return call(
		bus,
		sessionWork.actions.expected,
		{ limit: expectedLimit, ...asked, ...(host && { host }) },
		{ meta: jobMeta(), timeout: expectedTimeoutMs },
	);
}

function jobMeta(): Meta {
	return { request_id: randomUUID(), principal: job };
}
