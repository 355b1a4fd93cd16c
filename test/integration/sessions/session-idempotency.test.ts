/**
 * Repeated requests with an Idempotency-Key that no living session can answer: several sessions, messages, deleted
 * ones.
 */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sweepIdempotencyRecords } from "#services/sessions/commands/idempotency-record-sweep.ts";
import { IdempotencyRecords } from "#services/sessions/commands/idempotency-records.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { now, turnClock } from "#shared/base/clock.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { SessionActor } from "../../support/platform/session-actor.ts";
import { startSessions } from "../../support/platform/sessions-part.ts";
import { callAs } from "../../support/bus/test-brokers.ts";

type Started = Awaited<ReturnType<typeof startSessions>>;

const child = join(import.meta.dirname, "../../support/command-once.ts");

async function archiveStopped({ near }: Started, { principal }: SessionActor, idempotency_key: string) {
	const who = { principal, meta: { idempotency_key } };
	return (await callAs(near, who, sessions.actions.archive_stopped, {})).items;
}

async function stoppedIds(actor: SessionActor, count: number): Promise<string[]> {
	const made = await Promise.all(Array.from({ length: count }, () => actor.stopped()));
	return made.map(({ id }) => id).toSorted();
}

for (const nodes of [1, 2] as const) {
	describe(`repeats with an Idempotency-Key, ${nodes} broker(s)`, () => {
		let started: Started;
		let ada: SessionActor;

		before(async () => {
			started = await startSessions(nodes);
		});
		beforeEach(() => {
			ada = new SessionActor(started.near);
		});
		after(() => started.stop());

		it("archive-stopped gives the first ids, and archives nothing that came or was restored later", async () => {
			const ids = await stoppedIds(ada, 3);
			const first = await archiveStopped(started, ada, "one");
			expect(first.toSorted()).to.deep.equal(ids);
			await ada.command("restore", ids[0] ?? "");
			const [later] = await stoppedIds(ada, 1);
			expect(await archiveStopped(started, ada, "one")).to.deep.equal(first);
			for (const id of [ids[0], later]) expect(await ada.get(id ?? "")).to.include({ status: "stopped" });
			const other = await archiveStopped(started, ada, "two");
			expect(other).to.have.members([ids[0], later]);
		});

		it("archive-stopped gives eight callers with one key one answer", async () => {
			const ids = await stoppedIds(ada, 4);
			const answers = await Promise.all(Array.from({ length: 8 }, () => archiveStopped(started, ada, "same")));
			for (const answer of answers) expect(answer.toSorted()).to.deep.equal(ids);
			expect(await archiveStopped(started, new SessionActor(started.near), "same"), "another person").to.deep.equal([]);
		});

		it("create repeats its answer when its session is deleted, and when it is purged", async () => {
			const first = await ada.create({}, "gone");
			await ada.delete(first.id, ["workspace_storage"]);
			expect(await ada.create({}, "gone"), "deleted").to.deep.equal(first);
			await untilErased(ada, first.id);
			expect(await ada.create({}, "gone"), "removed").to.deep.equal(first);
			expect((await ada.list()).items).to.deep.equal([]);
			expect(await failureOf(ada.create({ name: "b" }, "gone"))).to.be.instanceOf(UnprocessableError);
		});

		it("create makes one session for eight callers with one key, and none for another request (H6)", async () => {
			const made = await Promise.all(Array.from({ length: 8 }, () => ada.create({}, "same")));
			const [first] = made;
			for (const one of made) expect(one).to.deep.equal(first);
			expect((await ada.list()).items).to.deep.equal([first]);
			expect(await failureOf(ada.create({ name: "b" }, "same"))).to.include({ type: "IDEMPOTENCY_KEY_REUSED" });
			const others = await new SessionActor(started.near).create({}, "same");
			expect(others.id, "another person").to.not.equal(first?.id);
		});

		it("create repeats its answer after many other commands with keys", async () => {
			const first = await ada.create({}, "early");
			for (let i = 0; i < 9; i++) {
				await ada.pass(first.id, i === 0 ? "ready" : "absent");
				await ada.command("archive", first.id, `archive-${i}`);
				await ada.command("restore", first.id, `restore-${i}`);
			}
			expect(await ada.create({}, "early")).to.deep.equal(first);
		});

		it("a message's key is refused for another text, before a pod hears of it", async () => {
			const { id: session_id } = await ada.running();
			const send = (content: string) => {
				const who = { principal: ada.principal, meta: { idempotency_key: "m" } };
				return failureOf(callAs(started.near, who, sessions.actions.messages, { session_id, content }));
			};
			// No pod listens here, so an accepted message ends at this point.
			expect(await send("one")).to.include({ type: "POD_ABSENT" });
			expect(await send("one")).to.include({ type: "POD_ABSENT" });
			expect(await send("two")).to.include({ type: "IDEMPOTENCY_KEY_REUSED" });
		});
	});

	describe(`archive-stopped when its process is killed, ${nodes} broker(s)`, function () {
		this.timeout(90_000);
		const all = ["archive-planned", "archived-group", "archive-settled"];
		// The failpoints are in the service, independent of the broker: the runs with two brokers need only show that
		// they are reached.
		for (const point of nodes === 1 ? all : ["archived-group"]) {
			it(`at ${point}: a repetition archives the rest, overrides no other change and gives one answer`, async () => {
				const folder = await mkdtemp(join(tmpdir(), "atelier-archive-"));
				let started = await startSessions(nodes, folder);
				try {
					let ada = new SessionActor(started.near);
					const ids = await stoppedIds(ada, 21);
					await started.stop();
					expect(await dieAt(point, { command: "archive", folder, nodes }, ada)).to.equal("SIGKILL");

					started = await startSessions(nodes, folder);
					ada = new SessionActor(started.near, ada.principal);
					const done = (await ada.list({ status: "archived" })).items.map(({ id }) => id);
					expect(done).to.have.length(
						{ "archive-planned": 0, "archived-group": 20, "archive-settled": 21 }[point] ?? -1,
					);
					const [restored] = done;
					if (restored !== undefined) await ada.command("restore", restored);
					const answer = await archiveStopped(started, ada, "key");
					expect(answer.toSorted()).to.deep.equal(ids);
					expect(await archiveStopped(started, ada, "key")).to.deep.equal(answer);
					const left = (await ada.list({ status: "stopped" })).items.map(({ id }) => id);
					expect(left).to.deep.equal(restored === undefined ? [] : [restored]);
				} finally {
					await started.stop();
					await rm(folder, { recursive: true });
				}
			});
		}
	});
}

describe("create when its process is killed", function () {
	this.timeout(90_000);
	for (const point of ["creation-planned", "creation-written"]) {
		for (const isDeleted of point === "creation-planned" ? [false] : [false, true]) {
			it(`at ${point}${isDeleted ? ", and its session is deleted" : ""}: a repeat makes no second one (H6)`, async () => {
				const folder = await mkdtemp(join(tmpdir(), "atelier-create-"));
				const ada = new SessionActor((await startedAndStopped(folder)).near);
				expect(await dieAt(point, { command: "create", folder }, ada)).to.equal("SIGKILL");
				const started = await startSessions(1, folder);
				try {
					const again = new SessionActor(started.near, ada.principal);
					const left = (await again.list({})).items;
					expect(left).to.have.length(point === "creation-planned" ? 0 : 1);
					if (isDeleted) await deleteWholly(again, left[0]?.id ?? "");
					const answer = await again.create({}, "key");
					if (left[0]) expect(answer.id).to.equal(left[0].id);
					expect(await again.create({}, "key")).to.deep.equal(answer);
					expect((await again.list({})).items.map(({ id }) => id)).to.deep.equal(isDeleted ? [] : [answer.id]);
				} finally {
					await started.stop();
					await rm(folder, { recursive: true });
				}
			});
		}
	}

	async function startedAndStopped(folder: string): Promise<Started> {
		const started = await startSessions(1, folder);
		await started.stop();
		return started;
	}
});

async function deleteWholly(actor: SessionActor, id: string): Promise<void> {
	await actor.delete(id, ["workspace_storage"]);
	await untilErased(actor, id);
}

/** Resolves when nothing remains of a deleted session. */
async function untilErased(actor: SessionActor, id: string): Promise<void> {
	await eventually(async () => {
		const [claim] = await actor.claim(id);
		if (claim) await actor.observe(claim, "absent", 0, true);
		return claim === undefined;
	});
}

/** Resolves with the signal that ended the process. */
async function dieAt(
	point: string,
	{ command, folder, nodes = 1 }: { command: string; folder: string; nodes?: number },
	{ principal }: SessionActor,
): Promise<unknown> {
	const env = { ...process.env, ATELIER_FAILPOINTS: `sessions.${point}=kill` };
	const args = [child, folder, String(nodes), JSON.stringify(principal), "key", command];
	const running = spawn(process.execPath, args, { env, stdio: "ignore" });
	const [, signal] = (await once(running, "exit")) as [unknown, unknown];
	return signal;
}

describe("a key that is used again after 24 hours", () => {
	it("makes a new session, independent of the deleted one (H6)", async () => {
		const started = await startSessions(1);
		let turnBack = () => {};
		try {
			const ada = new SessionActor(started.near);
			const alive = await ada.create({}, "alive");
			const first = await ada.create({}, "gone");
			await deleteWholly(ada, first.id);
			const later = now() + 25 * 3_600_000;
			turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
			const second = await ada.create({}, "gone");
			expect(second.id).to.not.equal(first.id);
			expect((await ada.list()).items.map(({ id }) => id)).to.deep.equal([second.id, alive.id]);
			const told = await eventually(async () => {
				const events = await ada.events(second.id);
				return events.length > 0 && events;
			});
			expect(told.map(({ type }) => type)).to.deep.equal(["session_created"]);
			const other = await ada.create({ name: "other" }, "alive");
			expect([other.name, other.id === alive.id]).to.deep.equal(["other", false]);
		} finally {
			turnBack();
			await started.stop();
		}
	});
});

describe("IdempotencyRecords", () => {
	let folder: string;
	let store: EmbeddedStore;
	const owner = "o";
	const day = 24 * 3_600_000;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-kept-"));
		store = new EmbeddedStore({ folder });
		await store.open([idempotencyRecordCollection]);
	});
	afterEach(async () => {
		await store.close();
		await rm(folder, { recursive: true });
	});

	it("forgets keys after 24 hours, and removes their records", async () => {
		const records = new IdempotencyRecords(store);
		await records.add({ id: "a", owner, fingerprint: "f", wire: "1" });
		const later = now() + day + 1;
		const turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
		try {
			expect(await records.find("a", "g")).to.equal(undefined);
			await records.add({ id: "b", owner, fingerprint: "f", wire: "2" });
			for (const id of ["c", "d"]) await records.add({ id, owner, fingerprint: "f", wire: "1", at: later - day });
			expect(await sweepIdempotencyRecords(store)).to.equal(2);
		} finally {
			turnBack();
		}
		expect(await store.count(idempotencyRecordCollection, "at", { equals: [] })).to.equal(1);
	});

	it("refuses a key whose fingerprint is lost, and an answer that is too long to be kept (H6)", async () => {
		const records = new IdempotencyRecords(store);
		await store.insert(idempotencyRecordCollection, { id: "lost", wire: "1", owner, completed: 1, at: now() });
		expect(await failureOf(records.find("lost", "f"))).to.be.instanceOf(UnprocessableError);
		const long = { id: "long", owner, fingerprint: "f", wire: "x".repeat(33_000) };
		expect(await failureOf(records.add(long))).to.be.instanceOf(UnprocessableError);
	});

	it("keeps 1,000 of one person, the newest", async () => {
		const records = new IdempotencyRecords(store);
		const at = now();
		const documents = Array.from({ length: 1_000 }, (_, i) => {
			return { id: `n${i}`, owner, fingerprint: "f", wire: "1", completed: 1, at: at - 2_000 + i };
		});
		for (const half of [documents.slice(0, 500), documents.slice(500)])
			await store.append(idempotencyRecordCollection, half);
		await records.add({ id: randomUUID(), owner, fingerprint: "f", wire: "1" });
		expect(await store.count(idempotencyRecordCollection, "owner", { equals: [owner] })).to.equal(1_000);
		expect(await records.find("n0", "f")).to.equal(undefined);
		expect(await records.find("n1", "f")).to.not.equal(undefined);
	});
});
