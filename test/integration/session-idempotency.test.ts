/** Repeats with an Idempotency-Key that no living session can answer: several sessions, messages, deleted ones. */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeptAnswers } from "#services/sessions/kept-answers.ts";
import { keptAnswerCollection } from "#services/sessions/kept-answer-collection.ts";
import { now, turnClock } from "#shared/clock.ts";
import { sessions } from "#shared/contracts/sessions.ts";
import { UnprocessableError } from "#shared/errors.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf } from "../support/failure-of.ts";
import { SessionActor } from "../support/session-actor.ts";
import { startSessions } from "../support/sessions-part.ts";
import { callAs } from "../support/test-brokers.ts";

type Started = Awaited<ReturnType<typeof startSessions>>;

const child = join(import.meta.dirname, "../support/archive-stopped-once.ts");

function archiveStopped({ near }: Started, { principal }: SessionActor, idempotency_key?: string): Promise<string[]> {
	const meta = idempotency_key === undefined ? {} : { idempotency_key };
	return callAs(near, { principal, meta }, sessions.actions.archive_stopped, {});
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

		it("create answers as it did first when its session is deleted, and when nothing is left of it", async () => {
			const first = await ada.create({}, "gone");
			await ada.delete(first.id, ["workspace_storage"]);
			expect(await ada.create({}, "gone"), "deleted").to.deep.equal(first);
			await eventually(async () => {
				const [claim] = await ada.claim(first.id);
				if (claim) await ada.observe(claim, "absent", 0, true);
				return claim === undefined;
			});
			expect(await ada.create({}, "gone"), "removed").to.deep.equal(first);
			expect((await ada.list()).items).to.deep.equal([]);
			expect(await failureOf(ada.create({ name: "b" }, "gone"))).to.be.instanceOf(UnprocessableError);
		});

		it("create answers as it did first after many other commands with keys", async () => {
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
			// No pod listens here: the text was taken, and its way ends there.
			expect(await send("one")).to.include({ type: "POD_ABSENT" });
			expect(await send("one")).to.include({ type: "POD_ABSENT" });
			expect(await send("two")).to.include({ type: "IDEMPOTENCY_KEY_REUSED" });
		});
	});

	describe(`archive-stopped when its process is killed, ${nodes} broker(s)`, () => {
		const all = ["archive-planned", "archived-one", "archive-settled"];
		// The points are in the service, wherever its broker is: two brokers need only show that they are reached.
		for (const point of nodes === 1 ? all : ["archived-one"]) {
			it(`at ${point}: a repeat archives the rest, overrules nobody and gives one answer`, async () => {
				const folder = await mkdtemp(join(tmpdir(), "atelier-archive-"));
				let started = await startSessions(nodes, folder);
				try {
					let ada = new SessionActor(started.near);
					const ids = await stoppedIds(ada, 4);
					await started.stop();
					expect(await archiveAndDie(folder, ada, point)).to.equal("SIGKILL");

					started = await startSessions(nodes, folder);
					ada = new SessionActor(started.near, ada.principal);
					const done = (await ada.list({ status: "archived" })).items.map(({ id }) => id);
					expect(done).to.have.length({ "archive-planned": 0, "archived-one": 1, "archive-settled": 4 }[point] ?? -1);
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

		async function archiveAndDie(folder: string, { principal }: SessionActor, point: string): Promise<unknown> {
			const env = { ...process.env, ATELIER_FAILPOINTS: `sessions.${point}=kill` };
			const args = [child, folder, String(nodes), JSON.stringify(principal), "key"];
			const running = spawn(process.execPath, args, { env, stdio: "ignore" });
			const [, signal] = (await once(running, "exit")) as [unknown, unknown];
			return signal;
		}
	});
}

describe("KeptAnswers", () => {
	let folder: string;
	let store: EmbeddedStore;
	const owner = "o";

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-kept-"));
		store = new EmbeddedStore({ folder });
		await store.open([keptAnswerCollection]);
	});
	afterEach(async () => {
		await store.close();
		await rm(folder, { recursive: true });
	});

	it("forgets after 24 hours, and removes what is forgotten", async () => {
		const kept = new KeptAnswers(store);
		await kept.add({ id: "a", owner, fingerprint: "f", wire: "1" });
		const later = now() + 24 * 3_600_000 + 1;
		const turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
		try {
			expect(await kept.find("a", "g")).to.equal(undefined);
			await kept.add({ id: "b", owner, fingerprint: "f", wire: "2" });
		} finally {
			turnBack();
		}
		expect(await store.count(keptAnswerCollection, "at", { equals: [] })).to.equal(1);
	});

	it("keeps 1,000 of one person, the newest", async () => {
		const kept = new KeptAnswers(store);
		const at = now();
		const documents = Array.from({ length: 1_000 }, (_, i) => {
			return { id: `n${i}`, owner, fingerprint: "f", wire: "1", settled: 1, at: at - 2_000 + i };
		});
		for (const half of [documents.slice(0, 500), documents.slice(500)]) await store.append(keptAnswerCollection, half);
		await kept.add({ id: randomUUID(), owner, fingerprint: "f", wire: "1" });
		expect(await store.count(keptAnswerCollection, "owner", { equals: [owner] })).to.equal(1_000);
		expect(await kept.find("n0", "f")).to.equal(undefined);
		expect(await kept.find("n1", "f")).to.not.equal(undefined);
	});
});
