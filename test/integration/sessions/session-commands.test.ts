/** Commands, passes and events of sessions over the bus and a real store; the test plays the pod manager. */
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { isoTime, now, turnClock } from "#shared/base/clock.ts";
import type { AnyAction } from "#shared/contracts/contract.ts";
import type { Principal } from "#shared/base/principal.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { chronicles } from "#shared/contracts/sessions/chronicles.ts";
import { sessionEvents } from "#shared/contracts/sessions/session-events.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { type Expectation, sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { ConflictError, NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { describeSessions } from "../../support/platform/describe-sessions.ts";
import { failureOf } from "../../support/failure-of.ts";
import { SessionActor } from "../../support/platform/session-actor.ts";
import { callAs, job, root } from "../../support/bus/test-brokers.ts";

describeSessions("session commands", (testbed) => {
	it("lets exactly one of eight equal commands through", async () => {
		const { id } = await testbed.ada.running();
		const asked = Promise.allSettled(Array.from({ length: 8 }, () => testbed.ada.command("stop", id)));
		await eventually(async () => (await testbed.ada.get(id)).status === "stopping");
		await testbed.ada.pass(id, "absent");
		const results = await asked;
		const lost = results.filter((result) => result.status === "rejected");
		expect(lost).to.have.length(7);
		for (const { reason } of lost) expect(reason).to.be.instanceOf(ConflictError);
		const told = await eventually(async () => {
			const found = await testbed.ada.events(id);
			return found.length === 4 && found;
		});
		const statuses = told.map(({ data }) => (JSON.parse(data) as Session).status);
		expect(statuses).to.deep.equal(["starting", "running", "stopping", "stopped"]);
	});

	it("gives a repeated command with the same key its first answer, and refuses the key for another request", async () => {
		const first = await testbed.ada.create({}, "one");
		await testbed.ada.pass(first.id, "ready");
		expect(await testbed.ada.create({}, "one")).to.deep.equal(first);
		expect((await new SessionActor(testbed.near).create({}, "one")).id).not.to.equal(first.id);
		expect(await failureOf(testbed.ada.create({ name: "b" }, "one"))).to.be.instanceOf(UnprocessableError);
		const answer = await testbed.ada.stop(first.id, "two");
		expect(await testbed.ada.command("stop", first.id, "two")).to.deep.equal(answer);
		expect(await testbed.ada.get(first.id)).to.include({ status: "stopped" });
		expect(await failureOf(testbed.ada.command("stop", first.id))).to.be.instanceOf(ConflictError);
	});

	it("gives nobody the answer to another person's command, and asks for the right first (Q10)", async () => {
		const { ada } = testbed;
		const mal = new SessionActor(testbed.near, { ...root, id: randomUUID() });
		const { id } = await ada.running();
		const stopped = await mal.stop(id, "same");
		expect(stopped.status).to.equal("stopped");
		await ada.command("start", id, "start-key");
		await ada.pass(id, "ready");
		await ada.stop(id, "same");
		expect(await ada.get(id), "her stop with the key of mal").to.include({ status: "stopped" });
		expect(await failureOf(mal.command("start", id, "start-key"))).to.include({ type: "OWNER_ONLY" });
		expect((await ada.command("start", id, "start-key")).generation, "her own answer").to.equal(2);
	});

	it("takes what a session tells of its work from its owner and its pod only (Q7)", async () => {
		const { ada, near } = testbed;
		const mal: Principal = { ...root, id: randomUUID() };
		const { id: session_id } = await ada.running();
		const summary = { session_id, summary: "Closes private/secret#1" };
		const entry = { chronicle_id: session_id, t: 0, type: "session", label: "forged" } as const;
		const event = {
			session_id,
			event_type: "message_user",
			timestamp: isoTime(),
			sequence: 1,
			data: { content: "I, ada" },
		};
		const { id: chronicle_id } = await callAs(near, ada.principal, chronicles.actions.report, {
			session_id,
			summary: "hers",
		});
		const attempts: Record<string, (who: Principal) => Promise<unknown>> = {
			report: (who) => callAs(near, who, chronicles.actions.report, summary),
			create: (who) => callAs(near, who, chronicles.actions.create, { session_id }),
			update: (who) => callAs(near, who, chronicles.actions.update, { chronicle_id, ...summary }),
			entry: (who) => callAs(near, who, chronicles.actions.add_entry, entry),
			event: (who) => callAs(near, who, sessionEvents.actions.ingest, event),
			events: (who) => callAs(near, who, sessionEvents.actions.ingest_batch, { events: [event] }),
			activity: (who) => callAs(near, who, sessions.actions.activity, { session_id, state: "active", metadata: {} }),
			name: (who) => callAs(near, who, sessions.actions.update, { session_id, name: "forged" }),
		};
		for (const [what, attempt] of Object.entries(attempts))
			expect(await failureOf(attempt(mal)), what).to.include({ code: 403, type: "OWNER_ONLY" });
		const read = await callAs(near, mal, chronicles.actions.newest, { session_id });
		expect(read).to.include({ id: chronicle_id, summary: "hers" });
		const timeline = await callAs(near, mal, chronicles.actions.timeline, { chronicle_id: session_id });
		expect(timeline.events.filter(({ label }) => label === "forged")).to.deep.equal([]);
		expect((await callAs(near, mal, sessionEvents.actions.counts, { session_id })) as object).to.deep.equal({});
		for (const [what, attempt] of Object.entries(attempts))
			await attempt(ada.principal).catch((error: unknown) => expect.fail(`${what}: ${String(error)}`));
		await callAs(near, mal, chronicles.actions.delete, { chronicle_id });
	});

	it("creates one session for eight requests with one key", async () => {
		const made = await Promise.all(Array.from({ length: 8 }, () => testbed.ada.create({}, "same")));
		expect(new Set(made.map(({ id }) => id)).size).to.equal(1);
		expect((await testbed.ada.list()).items).to.have.length(1);
	});

	it("leases a session to one pass at a time, and accepts only the newest", async () => {
		const { id } = await testbed.ada.create();
		const [taken] = await testbed.ada.claim(id);
		if (!taken) return expect.fail("nothing to claim");
		expect(await testbed.ada.claim(id), "while leased").to.deep.equal([]);
		expect(await testbed.ada.observe({ ...taken, fence: taken.fence - 1 }, "ready"), "an old fence").to.equal(false);
		expect(await testbed.ada.get(id)).to.include({ status: "starting" });
		expect(await testbed.ada.observe(taken, "ready")).to.equal(true);
		expect(await testbed.ada.get(id)).to.include({ status: "running" });
	});

	it("fails a launch at its time limit although no pass ever reports", async () => {
		const { id } = await testbed.ada.create();
		await testbed.ada.claim(id);
		const later = now() + 61_000;
		const turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
		try {
			const [claim] = await testbed.ada.claim(id);
			expect(claim).to.include({ desired: "stop" });
		} finally {
			turnBack();
		}
		const { status, status_reason } = await testbed.ada.get(id);
		expect([status, status_reason?.code]).to.deep.equal(["failed", "START_TIMEOUT"]);
	});

	it("stays due when a command comes during a pass, and ignores what a pass says about an older launch", async () => {
		const { id } = await testbed.ada.running();
		const [taken] = await testbed.ada.claim(id);
		await testbed.ada.stopping(id);
		if (taken) await testbed.ada.observe(taken, "ready", 60_000);
		const due = await callAs(testbed.near, job, sessionWork.actions.claim_due, { limit: 64 });
		const again = due.find((claim) => claim.id === id);
		expect(again).to.include({ id, desired: "stop" });
		if (again) await testbed.ada.observe(again, "absent");
		const [late] = await testbed.ada.claim(id);
		await testbed.ada.command("start", id);
		if (late) await testbed.ada.observe(late, "failed");
		expect(await testbed.ada.get(id)).to.include({ status: "starting", generation: 2 });
	});

	it("is claimed although the clock was set back an hour after it was leased or put off", async () => {
		const leased = await testbed.ada.create();
		await testbed.ada.claim(leased.id);
		const putOff = await testbed.ada.create();
		const [taken] = await testbed.ada.claim(putOff.id);
		if (taken) await testbed.ada.observe(taken, "launching", 30_000);
		const earlier = Date.now() - 3_600_000;
		const turnBack = turnClock({ now: () => earlier, monotonic: () => performance.now() });
		try {
			const due = await callAs(testbed.near, job, sessionWork.actions.claim_due, { limit: 64 });
			expect(due.map(({ id }) => id)).to.include.members([leased.id, putOff.id]);
			expect(await testbed.ada.claim(leased.id)).to.deep.equal([]);
		} finally {
			turnBack();
		}
	});

	it("lists every session for the sweep, page by page, tombstones too", async () => {
		const running = await testbed.ada.running();
		const deleted = await testbed.ada.running();
		await testbed.ada.delete(deleted.id, ["workspace_storage"]);
		const all: Expectation[] = [];
		for (let after: string | undefined; ; ) {
			const page = { limit: 2, ...(after !== undefined && { after }) };
			const { sessions, next } = await callAs(testbed.near, job, sessionWork.actions.expected, page);
			all.push(...sessions);
			if (next === undefined) break;
			after = next;
		}
		expect(all).to.deep.include({ id: running.id, generation: 1, desired: "run" });
		expect(all).to.deep.include({ id: deleted.id, generation: 1, desired: "purge" });
		expect(new Set(all.map(({ id }) => id)).size).to.equal(all.length);
	});

	it("lists the named sessions for the sweep, without their launches (M6)", async () => {
		const { id } = await testbed.ada.running();
		await testbed.ada.running();
		const asked = { limit: 500, ids: [id, randomUUID()] };
		const answer = await callAs(testbed.near, job, sessionWork.actions.expected, asked);
		expect(answer).to.deep.equal({ sessions: [{ id, generation: 1, desired: "run" }] });
	});

	it("is not due when it runs and its pod is ready, until a change of its pod is reported (M5)", async () => {
		const { id } = await testbed.ada.create();
		const [first] = await testbed.ada.claim(id);
		if (first) await testbed.ada.observe(first, "ready", 0);
		const due = await callAs(testbed.near, job, sessionWork.actions.claim_due, { limit: 64 });
		expect(due.map((claim) => claim.id)).not.to.include(id);
		const [second] = await testbed.ada.claim(id);
		expect(second).to.include({ id, desired: "run" });
		if (second) await testbed.ada.observe(second, "failed");
		expect((await testbed.ada.get(id)).status).to.equal("failed");
	});

	it("hides a deleted session at once and removes it when its pod is gone", async () => {
		const { id } = await testbed.ada.running();
		await testbed.ada.delete(id, ["workspace_storage"]);
		expect(await failureOf(testbed.ada.get(id))).to.be.instanceOf(NotFoundError);
		expect((await testbed.ada.list({ include_archived: true })).items).to.deep.equal([]);
		const [taken] = await testbed.ada.claim(id);
		expect(taken).to.include({ desired: "purge" });
		if (taken) await testbed.ada.observe(taken, "leaving");
		await eventually(async () => {
			const [claim] = await testbed.ada.claim(id);
			if (claim) await testbed.ada.observe(claim, "absent", 0, true);
			return claim === undefined;
		});
		const last = (await testbed.ada.events(id)).at(-1);
		expect(last).to.include({ type: "session_deleted", data: JSON.stringify({ id }), owner: testbed.ada.principal.id });
	});

	it("refuses every report by the key of an earlier launch, except what its model calls have cost", async () => {
		const { id } = await testbed.ada.running();
		const event = { session_id: id, event_type: "error", timestamp: "2026-11-20T20:00:00Z", sequence: 0 } as const;
		const reports = {
			"sessions.activity": { session_id: id, state: "idle" },
			"chronicles.report": { session_id: id, summary: "s" },
			"chronicles.add_entry": { chronicle_id: id, t: 0, type: "session", label: "l" },
			"session-events.ingest": event,
			"session-events.ingest_batch": { events: [event] },
			"history.report": { session_id: id, n: 1 },
			"budgets.reserve": { session_id: id, reservation_id: "r", model: "m" },
			"budgets.release": { session_id: id, reservation_id: "r" },
			"usage.report": { session_id: id, tokens: 1, provider: "local", model: "m" },
		};
		const actions = publicContracts
			.flatMap((contract): AnyAction[] => Object.values(contract.actions))
			.filter(({ access }) => access === "session" || access === "pod");
		expect(actions.map(({ name }) => name)).to.have.members(Object.keys(reports));
		const former: Principal = { kind: "pod", id, tenant: "", roles: [], generation: 0 };
		const outcomes = await Promise.all(
			Object.entries(reports).map(async ([name, params]) => {
				const meta = { principal: vouch(former) };
				const answer = testbed.near.call(name, params, { meta });
				return [
					name,
					await answer.then(
						() => "taken",
						({ type }: ConflictError) => type,
					),
				];
			}),
		);
		const { "usage.report": usage, ...others } = Object.fromEntries(outcomes) as Record<string, string>;
		expect(usage).to.equal("taken");
		expect(new Set(Object.values(others)), JSON.stringify(others)).to.deep.equal(new Set(["STALE_GENERATION"]));
	});

	it("records activity of the present launch", async () => {
		const { id } = await testbed.ada.running();
		const pod = (generation: number): Principal => ({ kind: "pod", id, tenant: "", roles: [], generation });
		const report = (generation: number, state: string) => {
			const params = { session_id: id, state, metadata: { turn_count: 1 } };
			return callAs(testbed.near, pod(generation), sessions.actions.activity, params);
		};
		await report(1, "active");
		expect(await testbed.ada.get(id)).to.deep.include({
			activity_state: "active",
			activity_metadata: { turn_count: 1 },
		});
		expect(await failureOf(report(1, "dancing"))).to.be.instanceOf(UnprocessableError);
		const entry = await eventually(async () =>
			(await testbed.ada.events(id)).find(({ type }) => type === "session_activity"),
		);
		const payload = {
			session_id: id,
			state: "active",
			metadata: { turn_count: 1 },
			owner_id: testbed.ada.principal.id,
		};
		expect(JSON.parse(entry.data)).to.deep.equal(payload);
	});

	it("publishes the revisions of every session in order", async () => {
		const made = await Promise.all(Array.from({ length: 20 }, () => testbed.ada.running()));
		const told = await eventually(async () => {
			const found = await Promise.all(made.map(({ id }) => testbed.ada.events(id)));
			return found.every((list) => list.length === 2) && found;
		});
		for (const list of told) {
			expect(list.map(({ data }) => (JSON.parse(data) as Session).rev)).to.deep.equal([1, 2]);
		}
	});
});
