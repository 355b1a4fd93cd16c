/** Sessions and their workspaces over both stores: who has a workspace, and what a crash in between leaves. */
import { expect } from "chai";
import { sessionCollection, type SessionDocument } from "#services/sessions/record/session-collection.ts";
import { SessionWorkspaces } from "#services/sessions/workspaces/session-workspaces.ts";
import { viewOf } from "#services/sessions/workspaces/workspace-changes.ts";
import { workspaceCollection, type WorkspaceDocument } from "#services/sessions/workspaces/workspace-collection.ts";
import { type QuotaLimits, WorkspaceQuota } from "#services/sessions/workspaces/workspace-quota.ts";
import { WorkspaceRecords } from "#services/sessions/workspaces/workspace-records.ts";
import { WorkspaceTasks } from "#services/sessions/workspaces/workspace-tasks.ts";
import { checkHolders } from "#services/sessions/workspaces/workspace-upkeep.ts";
import { turnClock } from "#shared/base/clock.ts";
import { ConflictError, NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice, bob } from "../../../support/bus/test-brokers.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { sessionDocument } from "../../../support/platform/session-record.ts";
import { storeEngines } from "../../../support/stores/open-stores.ts";

const collections = [sessionCollection, workspaceCollection] as const;
for (const [name, open] of Object.entries(storeEngines([...collections]))) {
	describe(`workspaces of sessions on ${name}`, () => {
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let workspaces: SessionWorkspaces;
		let records: WorkspaceRecords;
		let tasks: WorkspaceTasks;
		let due: string[];
		let aheadMs: number;
		let turnBack: () => void;

		beforeEach(async () => {
			opened = await open();
			store = opened.store;
			due = [];
			aheadMs = 0;
			workspaces = over({});
			records = new WorkspaceRecords(store, (id) => due.push(id));
			tasks = new WorkspaceTasks(store);
			turnBack = turnClock({ now: () => Date.now() + aheadMs, monotonic: () => performance.now() });
		});
		afterEach(async () => {
			turnBack();
			await opened.discard();
		});

		/** The workspaces as another process has them. */
		function over(limits: QuotaLimits): SessionWorkspaces {
			return new SessionWorkspaces(store, new WorkspaceQuota(store, limits), (id) => due.push(id));
		}

		function session(more: Partial<SessionDocument> = {}, principal = alice): SessionDocument {
			const id = timeBasedUuid(Date.now());
			return { ...sessionDocument({ id, principal }), ...more };
		}

		/** A session whose pod has ended, in this status. */
		async function rested(status: string, more: Partial<SessionDocument> = {}): Promise<SessionDocument> {
			const created = session(more);
			await workspaces.reserve(created);
			const { due_at: _due, ...resting } = { ...created, status, desired: "stop" };
			await store.insert(sessionCollection, resting);
			await workspaces.hold(created);
			await workspaces.settle(resting);
			return resting;
		}

		async function stored(id: string): Promise<WorkspaceDocument> {
			return (await store.get(workspaceCollection, id)) ?? expect.fail(`no workspace ${id}`);
		}

		it("belong to one of many sessions that ask at the same time, in two processes", async () => {
			const { id } = await rested("archived");
			const rivals = Array.from({ length: 8 }, () => session({ workspace: id }));
			const other = over({});
			const outcomes = await Promise.allSettled(
				rivals.map((rival, n) => (n % 2 === 0 ? workspaces : other).reserve(rival)),
			);
			const winners = rivals.filter((_rival, n) => outcomes[n]?.status === "fulfilled");
			expect(winners).to.have.length(1);
			expect((await stored(id)).holder).to.equal(winners[0]?.id);
			for (const outcome of outcomes)
				if (outcome.status === "rejected") expect(outcome.reason).to.be.instanceOf(ConflictError);
			await workspaces.reserve(winners[0] ?? expect.fail());
			const loser = rivals.find((rival) => rival !== winners[0]) ?? expect.fail();
			expect(await workspaces.hold(loser)).to.have.nested.property("failure.code", "WORKSPACE_IN_USE");
		});

		it("are archived with their session and come back with it, unless another one has them", async () => {
			const first = await rested("archived");
			expect(viewOf(await stored(first.id))).to.include({ status: "archived", session_id: first.id });
			expect(viewOf(await stored(first.id)).archived_at).to.be.a("string");
			await workspaces.settle({ ...first, status: "stopped" });
			expect(await stored(first.id)).to.include({ status: "active", holder: first.id });
			await workspaces.settle(first);
			const second = session({ workspace: first.id });
			await workspaces.reserve(second);
			await workspaces.settle({ ...first, status: "stopped" });
			expect(await stored(first.id)).to.include({ status: "active", holder: second.id });
		});

		it("are gone for a session whose workspace was deleted: its next launch has a new one with a new id", async () => {
			const first = await rested("stopped");
			await records.delete(alice, first.id);
			expect(due).to.deep.equal([first.id]);
			const hold = await workspaces.hold({ ...first, claimed_at: undefined as never });
			if (!("workspace" in hold)) return expect.fail("it was refused");
			expect(hold.workspace).not.to.equal(first.id);
			expect(await stored(hold.workspace)).to.include({ holder: first.id, status: "active" });
		});

		it("are not deleted by a request that was overtaken by a launch", async () => {
			const resting = await rested("stopped");
			const get = store.get.bind(store);
			let launches = 0;
			store.get = async (collection, id, ...rest) => {
				const found = await get(collection, id, ...rest);
				if (collection.name === "sessions" && launches++ === 0) {
					await store.update(sessionCollection, id, {}, { set: { status: "starting", desired: "run" } });
					const { claimed_at: _at, ...started } = { ...resting, status: "starting" };
					await workspaces.hold(started);
				}
				return found;
			};
			expect(await failureOf(records.delete(alice, resting.id))).to.be.instanceOf(ConflictError);
			expect(await stored(resting.id)).to.include({ status: "active", holder: resting.id });
		});

		it("wait for a pod that is ending, and say so when it takes too long", async () => {
			const resting = await rested("stopped");
			await store.update(sessionCollection, resting.id, {}, { set: { due_at: 1 } });
			const end = performance.now() + 100;
			expect(await failureOf(records.delete(alice, resting.id, end))).to.have.property("type", "WORKSPACE_BUSY");
			const deletion = records.delete(alice, resting.id);
			await store.update(sessionCollection, resting.id, {}, { unset: ["due_at"] });
			await deletion;
			expect((await stored(resting.id)).status).to.equal("deleted");
		});

		it("are given up by a deleted session: kept if they were used, removed if not or if it said so", async () => {
			const used = await rested("deleted");
			await workspaces.release(used);
			expect(await stored(used.id))
				.to.include({ status: "archived" })
				.and.not.have.property("holder");
			const unused = session();
			await workspaces.reserve(unused);
			await workspaces.release(unused);
			expect((await stored(unused.id)).status).to.equal("deleted");
			const other = session({ workspace: used.id });
			await workspaces.reserve(other);
			await workspaces.release({ ...used, storage_policy: "remove" });
			expect((await stored(used.id)).holder, "it belongs to another session by now").to.equal(other.id);
			await workspaces.release({ ...other, storage_policy: "remove" });
			await workspaces.release({ ...other, storage_policy: "remove" });
			expect((await stored(used.id)).status).to.equal("deleted");
			expect(due).to.deep.equal([unused.id, used.id]);
		});

		it("are freed a minute after a creation that a crash interrupted, and only then", async () => {
			const kept = await rested("archived");
			const [lost, retaken, whole] = [session(), session({ workspace: kept.id }), session()];
			for (const one of [lost, retaken, whole]) await workspaces.reserve(one);
			await store.insert(sessionCollection, whole);
			expect(await checkHolders({ store, ofSessions: workspaces })).to.equal(0);
			aheadMs = 61_000;
			expect(await checkHolders({ store, ofSessions: workspaces })).to.equal(2);
			expect((await stored(lost.id)).status).to.equal("deleted");
			expect(await stored(kept.id))
				.to.include({ status: "archived" })
				.and.not.have.property("holder");
			expect(await stored(whole.id)).to.include({ status: "active", holder: whole.id });
			expect(await checkHolders({ store, ofSessions: workspaces })).to.equal(0);
		});

		it("have one removal at a time, which is repeated after five seconds, and reports of old leases are refused", async () => {
			const { id } = await rested("archived");
			await records.delete(alice, id);
			const [first, ...others] = await tasks.claim(16, false);
			expect([first, others]).to.deep.equal([{ id, kind: "remove", fence: 1 }, []]);
			expect(await tasks.claim(16, false)).to.deep.equal([]);
			aheadMs = 5_001;
			const [second] = await tasks.claim(16, false);
			expect(second?.fence).to.equal(2);
			expect(await tasks.report(first ?? expect.fail())).to.equal(false);
			expect(await tasks.report(second ?? expect.fail())).to.equal(true);
			expect(await store.get(workspaceCollection, id)).to.equal(undefined);
			expect(await tasks.unknown([id])).to.deep.equal([id]);
		});

		it("are removed although the clock was set back", async () => {
			const { id } = await rested("archived");
			aheadMs = 3_600_000;
			await records.delete(alice, id);
			aheadMs = 0;
			expect(await tasks.claim(16, false)).to.have.length(1);
		});

		it("are measured when their session has ended, one at a time", async () => {
			const [one, two] = [await rested("archived"), await rested("stopped")];
			const [task, ...others] = await tasks.claim(16, true);
			expect(others).to.deep.equal([]);
			expect(await tasks.report({ ...(task ?? expect.fail()), bytes: 2 ** 30 + 1 })).to.equal(true);
			expect(viewOf(await stored(task?.id ?? ""))).to.include({
				size_gb: 2,
				size_bytes: 2 ** 30 + 1,
				size_is_partial: false,
			});
			const [next] = await tasks.claim(16, true);
			expect([task?.id, next?.id]).to.have.members([one.id, two.id]);
			// Only the stopped session still has its workspace, so its other files are measured with it.
			expect([task, next].flatMap((given) => given?.session ?? [])).to.deep.equal([two.id]);
			expect(await tasks.claim(16, true)).to.deep.equal([]);
		});

		it("have a quota, which names what can be deleted, and is not exceeded by requests at the same time", async () => {
			const limited = over({ count: 3 });
			const { id } = await rested("archived");
			const crowd = Array.from({ length: 6 }, () => session());
			const outcomes = await Promise.allSettled(crowd.map((one) => limited.reserve(one)));
			expect(outcomes.filter(({ status }) => status === "fulfilled")).to.have.length(2);
			const refusal = await failureOf(limited.reserve(session()));
			expect(refusal).to.be.instanceOf(ConflictError).with.property("type", "WORKSPACE_QUOTA");
			expect(String(refusal)).to.include("The quota of 3 workspaces is used up").and.to.include(id);
			const taken = crowd.filter((_one, n) => outcomes[n]?.status === "fulfilled");
			await limited.reserve(taken[0] ?? expect.fail());
			await limited.reserve(session({}, bob));
			const others = Array.from({ length: 8 }, () => session({}, { ...bob, id: "dora" }));
			await Promise.allSettled(others.map((one, n) => (n % 2 === 0 ? limited : over({ count: 3 })).reserve(one)));
			expect(
				await store.count(workspaceCollection, "owner_shelf", { equals: [bob.tenant, "dora", "kept"] }),
			).to.be.at.most(3);
		});

		it("have a quota of bytes", async () => {
			const { id } = await rested("archived");
			const limited = over({ gib: 1 });
			await limited.reserve(session());
			await store.update(workspaceCollection, id, {}, { set: { size_bytes: 2 ** 30 } });
			expect(String(await failureOf(limited.reserve(session()))))
				.to.include("1.0 GiB")
				.and.to.include(id);
		});

		it("have a quota of bytes that counts as used up while the files of one of them could not all be measured", async () => {
			const { id } = await rested("stopped");
			const measureAs = async (partial?: "entries" | "time") => {
				const [task = expect.fail("nothing is due")] = await tasks.claim(16, true);
				expect(await tasks.report({ ...task, bytes: 1, ...(partial && { partial }) })).to.equal(true);
				return viewOf(await stored(id));
			};
			expect(await measureAs("time")).to.include({ size_bytes: 1, size_is_partial: true });
			const limited = over({ gib: 1 });
			expect(String(await failureOf(limited.reserve(session()))))
				.to.include(`the files of workspace "${id}" could not all be measured`)
				.and.to.include("at least 1 MiB");
			expect(await tasks.claim(16, true), "it is repeated later").to.deep.equal([]);
			aheadMs = 600_000;
			expect(await measureAs()).to.include({ size_is_partial: false });
			await limited.reserve(session());
			aheadMs += 600_000;
			expect(await tasks.claim(16, true)).to.deep.equal([]);
		});

		it("expire when they were archived for long enough", async () => {
			const [old, active] = [await rested("archived"), await rested("stopped")];
			expect(await tasks.expire(10_000, 10)).to.equal(0);
			aheadMs = 11_000;
			expect(await tasks.expire(10_000, 10)).to.equal(1);
			expect([(await stored(old.id)).status, (await stored(active.id)).status]).to.deep.equal(["deleted", "active"]);
			expect(await tasks.expire(10_000, 10)).to.equal(0);
		});

		it("exist for their owner and the administrators of the tenant only", async () => {
			const { id } = await rested("archived");
			const pod = { kind: "pod", id, tenant: alice.tenant, roles: ["admin"], generation: 1 } as const;
			const foreign = { ...bob, tenant: "elsewhere", roles: ["admin"] };
			for (const stranger of [bob, foreign, pod]) {
				for (const attempt of [records.text(stranger, id), records.restore(stranger, id), records.delete(stranger, id)])
					expect(await failureOf(attempt)).to.be.instanceOf(NotFoundError);
				expect(await failureOf(workspaces.offered(stranger, id))).to.be.instanceOf(UnprocessableError);
				expect((await records.deleteAll(stranger, [id])).deleted).to.equal(0);
			}
			const administrator = { ...bob, roles: ["admin"] };
			expect(await failureOf(workspaces.offered(administrator, id)), "its agent would use others' files").to.be.an(
				"error",
			);
			expect((await records.deleteAll(administrator, [id])).deleted).to.equal(1);
		});
	});
}
