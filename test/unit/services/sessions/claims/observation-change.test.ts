/** Every status against everything a pass may see: the automatic moves of a session. */
import { expect } from "chai";
import { isReconciled, observationChange } from "#services/sessions/claims/observation-change.ts";
import type { SessionRecord } from "#services/sessions/record/session-change.ts";
import type { StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { launchSettings } from "../../../../support/pods/memory-pods.ts";
import { type Observation, type ObservedPhase, observedPhases } from "#shared/contracts/sessions/session-work.ts";
import { changed, createdAt as at, sessionRecord } from "../../../../support/platform/session-record.ts";

function record(status: StoredStatus, deadline?: number): SessionRecord {
	return sessionRecord({
		status,
		columns: { claimed_at: at + 5, ...(deadline !== undefined && { deadline_at: deadline }) },
	});
}

function seen(phase: ObservedPhase, more: Partial<Observation> = {}): Observation {
	return { phase, timings: {}, purged: false, ...more };
}

/** The status after an observation; the same one where nothing changes. */
const moves: Record<StoredStatus, Record<ObservedPhase, StoredStatus>> = {
	created: same("created"),
	starting: {
		absent: "starting",
		blocked: "starting",
		launching: "provisioning",
		ready: "running",
		failed: "failed",
		leaving: "starting",
	},
	provisioning: { ...same("provisioning"), absent: "failed", ready: "running", failed: "failed" },
	running: { ...same("running"), absent: "failed", failed: "failed" },
	stopping: { ...same("stopping"), absent: "stopped" },
	stopped: same("stopped"),
	failed: same("failed"),
	archived: same("archived"),
	deleted: same("deleted"),
};

function same(status: StoredStatus): Record<ObservedPhase, StoredStatus> {
	return Object.fromEntries(observedPhases.map((phase) => [phase, status])) as Record<ObservedPhase, StoredStatus>;
}

describe("observationChange()", () => {
	for (const status of Object.keys(moves) as StoredStatus[]) {
		for (const phase of observedPhases) {
			const expected = moves[status][phase];
			it(`leaves a ${status} session ${expected} when its pod is ${phase}`, () => {
				const change = observationChange(record(status), seen(phase), at);
				expect(change?.members.status ?? status).to.equal(expected);
			});
		}
	}

	it("counts the passes anew in each status, so that the end of a pod is looked for soon", () => {
		for (const [status, phase] of [
			["starting", "launching"],
			["provisioning", "failed"],
			["stopping", "absent"],
		] as const)
			expect(observationChange(record(status), seen(phase), at)?.columns.set).to.include({ attempts: 0 });
		expect(observationChange(record("stopping"), seen("leaving"), at)?.columns.set ?? {}).not.to.have.property(
			"attempts",
		);
	});

	it("leaves a session stopped, and not failed, that was ended together with the platform", () => {
		const failure = { code: "POD_ENDED", message: "The session was ended together with the platform" };
		for (const status of ["provisioning", "running"] as const) {
			const change = observationChange(record(status), seen("failed", { failure }), at);
			expect(change?.members.status).to.equal("stopped");
			expect(change?.members.status_reason).to.include(failure);
			expect(change?.columns.set).to.include({ status: "stopped", desired: "stop" });
		}
	});

	it("gives a launch the time to be prepared that it carries, and says that time when it is over", () => {
		const launch: LaunchSettings = { ...launchSettings, setup_minutes: 30 };
		const minutes = (status: StoredStatus, deadline?: number) =>
			sessionRecord({
				status,
				order: { launch },
				columns: { ...(deadline !== undefined && { deadline_at: deadline }) },
			});
		const begun = observationChange(minutes("starting"), seen("launching"), at);
		expect(begun?.columns.set?.deadline_at).to.equal(at + 1_800_000);
		expect(begun?.members.status_reason?.deadline).to.equal("2026-01-01T00:30:00.000Z");
		const late = observationChange(minutes("provisioning", at - 1), seen("launching"), at);
		expect(late?.members.status_reason).to.deep.include({
			code: "PROVISION_TIMEOUT",
			message:
				"The session was provisioning for more than 1800 s; the operator can raise this limit with pods.setup_minutes",
		});
	});

	it("shows the warnings of a pod that is ready, when they are new", () => {
		const told = (status: StoredStatus, warnings: string[]) =>
			observationChange(record(status), seen("ready", { warnings }), at)?.members.warnings;
		expect(told("provisioning", ["no tools"])).to.deep.equal(["launch: no tools"]);
		expect(told("running", ["no tools"])).to.deep.equal(["while running: no tools"]);
		expect(told("running", [])).to.equal(undefined);
		expect(told("stopping", ["no tools"])).to.equal(undefined);
	});

	it("says why a session failed, in the pod's own words if it has any", () => {
		const failure = { code: "CLONE_FAILED", message: "Repository not found" };
		const told = observationChange(record("provisioning"), seen("failed", { failure }), at)?.members;
		expect(told?.status_reason).to.include(failure);
		expect(told?.error).to.equal("Repository not found");
		const silent = observationChange(record("running"), seen("failed"), at)?.members;
		expect(silent?.status_reason?.code).to.equal("POD_LOST");
	});

	for (const [status, code] of [
		["starting", "START_TIMEOUT"],
		["provisioning", "PROVISION_TIMEOUT"],
		["stopping", "STOP_TIMEOUT"],
	] as const) {
		it(`gives a session up that is ${status} beyond its deadline, not before`, () => {
			const phase = status === "stopping" ? "leaving" : status === "starting" ? "blocked" : "launching";
			expect(observationChange(record(status, at), seen(phase), at)).to.equal(undefined);
			const late = observationChange(record(status, at), seen(phase), at + 1)?.members;
			expect([late?.status, late?.status_reason?.code]).to.deep.equal(["failed", code]);
		});
	}

	it("tells why a launch waits, once for each code, and keeps its status and its deadline", () => {
		const missing = { code: "IMAGE_PULL_FAILED", message: "The image is not there" };
		for (const [status, phase] of [
			["starting", "absent"],
			["starting", "blocked"],
			["provisioning", "launching"],
			["provisioning", "absent"],
		] as const) {
			const before = record(status, at + 60_000);
			const told = observationChange(before, seen(phase, { waiting: missing }), at);
			expect(Object.keys(told?.members ?? {}), `${status}, ${phase}`).to.deep.equal(["status_reason"]);
			expect(told?.members.status_reason).to.include(missing);
			expect(told?.members.status_reason?.deadline).to.equal(before.session.status_reason?.deadline);
			const during = changed(before, told ?? expect.fail("it is told"));
			const later = { ...missing, message: "The image is not there; the next attempt is in 10 s" };
			expect(observationChange(during, seen(phase, { waiting: later }), at), "other words").to.equal(undefined);
			const other = { code: "ENGINE_UNREACHABLE", message: "The engine is away" };
			const change = observationChange(during, seen("blocked", { waiting: other }), at);
			expect(change?.members.status_reason).to.include(other);
		}
	});

	it("tells the usual reason again when a launch waits no longer", () => {
		for (const [status, phase, usual] of [
			["starting", "absent", "LAUNCH_REQUESTED"],
			["provisioning", "launching", "POD_PREPARING"],
		] as const) {
			const waiting = { code: "ENGINE_UNREACHABLE", message: "The engine is away" };
			const before = record(status);
			const during = changed(before, observationChange(before, seen(phase, { waiting }), at) ?? expect.fail("told"));
			expect(observationChange(during, seen(phase), at)?.members.status_reason).to.include({ code: usual });
			const moved = observationChange(during, seen("ready"), at)?.members;
			expect(moved).to.deep.include({ status: "running" });
			expect(moved?.status_reason?.code).to.equal("POD_READY");
		}
		expect(observationChange(record("starting"), seen("absent"), at)).to.equal(undefined);
	});

	it("fails a launch whose time is over with the reason for which it waits, and not with a timeout", () => {
		const waiting = { code: "IMAGE_PULL_FAILED", message: "The image is not there" };
		for (const [status, phase] of [
			["starting", "absent"],
			["provisioning", "launching"],
			["provisioning", "absent"],
		] as const) {
			const before = record(status, at);
			const during = changed(before, observationChange(before, seen(phase, { waiting }), at) ?? expect.fail("told"));
			expect(observationChange(during, seen(phase, { waiting }), at), "in time").to.equal(undefined);
			const late = observationChange(during, seen(phase, { waiting }), at + 1)?.members;
			expect(late).to.include({ status: "failed", error: waiting.message });
			expect(late?.status_reason).to.include(waiting);
			// A claim applies the deadline without having seen the pods.
			expect(observationChange(during, seen("blocked"), at + 1)?.members.status_reason).to.include(waiting);
		}
		const late = observationChange(record("stopping", at), seen("blocked", { waiting }), at + 1)?.members;
		expect(late?.status_reason?.code).to.equal("STOP_TIMEOUT");
	});

	it("tells nothing of a waiting pod beside a session that runs, stops or rests", () => {
		const waiting = { code: "ENGINE_UNREACHABLE", message: "The engine is away" };
		for (const status of ["running", "stopping", "stopped", "failed", "archived"] as const)
			expect(observationChange(record(status), seen("blocked", { waiting }), at), status).to.equal(undefined);
	});

	it("tells how far the clones are while they run, and once each", () => {
		const before = record("provisioning");
		const told = observationChange(before, seen("launching", { progress: "Cloning: api 4 %" }), at);
		const reason = { code: "CLONING", message: "Cloning: api 4 %" };
		expect(told?.members.status_reason).to.include(reason);
		const during = changed(before, told ?? expect.fail("it is told"));
		expect(observationChange(during, seen("launching", { progress: "Cloning: api 4 %" }), at)).to.equal(undefined);
		const after = observationChange(during, seen("launching"), at)?.members;
		expect(after?.status_reason).to.include({ code: "POD_PREPARING" });
		expect(observationChange(before, seen("launching"), at)).to.equal(undefined);
		expect(observationChange(record("running"), seen("ready", { progress: "x" }), at)).to.equal(undefined);
	});

	it("writes the branches that the clones found into the session and its next launch, and keeps those it names", () => {
		const url = "https://git.example/a.git";
		const repositories = [
			{ url, branch: "", base_branch: "", path: "" },
			{ url, branch: "", base_branch: "", path: "b" },
			{ url, branch: "named", base_branch: "", path: "c" },
		];
		const source = { type: "git", repo: url, branch: "", base_branch: "" } as const;
		const order = { source, launch: { ...launchSettings, repositories } };
		const before = sessionRecord({ status: "provisioning", order });
		const found = ["", "b", "c"].map((path) => ({ path, branch: "master" }));
		const branches = ({ session, document }: SessionRecord) => [
			session.branch,
			session.source.branch,
			session.repositories?.map(({ branch }) => branch),
			(document.launch as LaunchSettings).repositories.map(({ branch }) => branch),
		];
		const names = ["master", "master", "named"];
		for (const phase of ["launching", "ready", "failed"] as const) {
			const change = observationChange(before, seen(phase, { branches: found, clones: [{ path: "", ms: 5 }] }), at);
			const after = changed(before, change ?? expect.fail("there is a change"));
			expect(branches(after), phase).to.deep.equal(["master", "master", names, names]);
			const again = observationChange(after, seen(phase, { branches: found }), at)?.members ?? {};
			expect(Object.keys(again), "once").not.to.include.members(["branch", "source"]);
		}
	});

	it("tells nothing of a session after its deletion, whatever its pod has found", () => {
		const url = "https://git.example/a.git";
		const launch = { ...launchSettings, repositories: [{ url, branch: "", base_branch: "", path: "" }] };
		const source = { type: "git", repo: url, branch: "", base_branch: "" } as const;
		const observation = { branches: [{ path: "", branch: "master" }] };
		for (const [status, isTold] of [
			["provisioning", true],
			["stopped", true],
			["deleted", false],
		] as const) {
			const before = sessionRecord({ status, order: { source, launch } });
			const change = observationChange(before, seen("launching", observation), at);
			expect(change !== undefined, status).to.equal(isTold);
		}
	});

	it("keeps the durations of the clones", () => {
		const repositories = [
			{ url: "a", branch: "main", path: "api" },
			{ url: "b", branch: "main", path: "web" },
		];
		const clones = [
			{ path: "web", ms: 7 },
			{ path: "gone", ms: 8 },
		];
		const before = sessionRecord({ status: "provisioning", members: { repositories } });
		expect(observationChange(before, seen("ready", { clones }), at)?.members.repositories).to.deep.equal([
			repositories[0],
			{ ...repositories[1], cloned_ms: 7 },
		]);
	});

	it("collects the times of the launch", () => {
		const timings = { spawned: "s", cloned: "c", ready: "r" };
		const change = observationChange(record("provisioning"), seen("ready", { timings }), at);
		expect(change?.members.timings).to.deep.equal({
			requested: "2026-01-01T00:00:00.000Z",
			claimed: "2026-01-01T00:00:00.005Z",
			...timings,
		});
	});
});

describe("isReconciled()", () => {
	it("is final without a pod, and for a purge only without a workspace", () => {
		expect(isReconciled("stopped", seen("absent"), false)).to.equal(true);
		expect(isReconciled("failed", seen("leaving"), false)).to.equal(false);
		expect(isReconciled("running", seen("absent"), false)).to.equal(false);
		expect(isReconciled("deleted", seen("absent"), true)).to.equal(false);
		expect(isReconciled("deleted", seen("absent", { purged: true }), true)).to.equal(true);
	});
});
