/**
 * The promises of the embedded store alone: one process, grouped commits, and nothing lost when that process or its
 * disk ends.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { UnavailableError } from "#shared/base/errors.ts";
import { type Collection, defineCollection } from "#shared/store/collection.ts";
import { StartError } from "#shared/base/start-error.ts";
import { EmbeddedDatabase } from "#shared/store/embedded/embedded-database.ts";
import { eventLogCollection } from "#shared/store/event-log/event-log-collection.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { event, job, jobs, sampleCollections } from "../../../support/stores/sample-collections.ts";
import { commitsInLog } from "../../../support/stores/write-ahead-log.ts";

const writerProgram = join(import.meta.dirname, "../../../support/stores/store-writer.ts");

describe("EmbeddedStore", () => {
	let folder: string;
	const opened: EmbeddedStore[] = [];

	async function open(collections: readonly Collection[] = sampleCollections): Promise<EmbeddedStore> {
		const store = new EmbeddedStore({ folder });
		await store.open(collections);
		opened.push(store);
		return store;
	}

	beforeEach(() => {
		folder = join(mkdtempSync(join(tmpdir(), "atelier-store-")), "store");
	});

	afterEach(async () => {
		for (const store of opened.splice(0)) await store.close();
		rmSync(join(folder, ".."), { recursive: true });
	});

	it("keeps its file readable by its user only", async () => {
		await open();
		expect(statSync(folder).mode & 0o777).to.equal(0o700);
		expect(statSync(join(folder, "atelier.db")).isFile()).to.equal(true);
	});

	it("has everything after it was closed, including concurrent writes", async () => {
		const first = await open();
		const writes = Array.from({ length: 1_500 }, (_, index) => first.insert(jobs, job(`j${index}`), [event(1)]));
		const closing = first.close();
		await Promise.all([...writes, closing]);
		const second = await open();
		expect(await second.count(jobs, "by_tenant", { equals: ["acme"] })).to.equal(1_500);
		expect(await second.outbox(jobs, 2_000)).to.have.length(1_500);
	});

	it("shows an event only when the disk has it, and counts it at once", async () => {
		const store = await open([eventLogCollection]);
		const sync = Object.getOwnPropertyDescriptor(EmbeddedDatabase.prototype, "sync") ?? {};
		const kept = Promise.withResolvers<void>();
		EmbeddedDatabase.prototype.sync = () => kept.promise;
		try {
			const log = new EventLog(store);
			const appended = log.append([{ key: "jobs:a:1", entry: event(1) }]);
			while ((await store.count(eventLogCollection, "by_seq", { equals: [] })) === 0) await nextTurn();
			let read = 0;
			const reading = log.read(0, 10).then(({ length }) => (read = length));
			for (let turn = 0; turn < 10; turn++) await nextTurn();
			expect(read).to.equal(0);
			kept.resolve();
			await Promise.all([appended, reading]);
			expect(await reading).to.equal(1);
		} finally {
			Object.defineProperty(EmbeddedDatabase.prototype, "sync", sync);
		}
	});

	describe("a damaged file", () => {
		const file = () => join(folder, "atelier.db");

		/** Fills the store and writes noise over its last pages, as a disk may. */
		async function damage(): Promise<void> {
			const store = await open();
			for (let n = 0; n < 20; n++)
				await Promise.all(
					Array.from({ length: 50 }, (_, m) => store.insert(jobs, job(`${n}-${m}`, { wire: "x".repeat(2_000) }))),
				);
			await store.close();
			noise(statSync(file()).size / 2);
		}

		function noise(from: number): void {
			const content = readFileSync(file());
			content.fill(0xa5, Math.floor(from / 4_096) * 4_096, Math.floor((from + 100 * 4_096) / 4_096) * 4_096);
			writeFileSync(file(), content);
		}

		it("is refused at the start and by a backup, with the way back", async () => {
			await damage();
			const refused = await failureOf<Error>(open());
			expect(refused).to.be.instanceOf(StartError);
			expect(refused.message).to.match(/atelier\.db" is damaged \(.+\): .* restore a backup .*docs\/backup\.md/);
			const backup = await failureOf<Error>(new EmbeddedStore({ folder }).snapshot());
			expect(backup.message).to.include('atelier.db" is damaged');
		});

		it("that is met while it is used is written no more, and is not ready", async () => {
			const store = await open();
			for (let n = 0; n < 20; n++)
				await Promise.all(
					Array.from({ length: 50 }, (_, m) => store.insert(jobs, job(`${n}-${m}`, { wire: "x".repeat(2_000) }))),
				);
			await store.close();
			const late = await open();
			noise(statSync(file()).size / 2);
			const ids = Array.from({ length: 1_000 }, (_, n) => `${Math.floor(n / 50)}-${n % 50}`);
			const reads = await Promise.allSettled(ids.map((id) => late.get(jobs, id)));
			const refused = reads.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
			expect(refused.length).to.be.greaterThan(0);
			for (const { reason } of refused) expect(reason).to.include({ type: "STORE_DAMAGED" });
			expect(await failureOf(late.insert(jobs, job("new")))).to.include({ type: "STORE_DAMAGED" });
			expect(await failureOf(late.ping())).to.include({ type: "STORE_DAMAGED" });
		});
	});

	describe("one process only", () => {
		it("refuses a second store of the same process", async () => {
			const store = await open();
			const refusal = await failureOf(open());
			expect(refusal).to.be.instanceOf(StartError);
			expect(String(refusal)).to.include(
				`Cannot open the store: "${folder}" is in use by another Atelier process; end that one, or set DATA_DIR and PORT`,
			);
			await store.insert(jobs, job("a"));
			await store.close();
			expect(await (await open()).get(jobs, "a")).to.deep.equal(job("a"));
		});

		it("refuses a second process until the first has ended", async () => {
			const store = await open();
			await store.insert(jobs, job("a"));
			const refused = spawn(process.execPath, [writerProgram, folder, "x"], { stdio: ["ignore", "ignore", "pipe"] });
			const [sentence, [code]] = await Promise.all([refused.stderr.toArray(), once(refused, "close")]);
			expect(code).to.equal(1);
			expect(sentence.join("")).to.include(`"${folder}" is in use by another Atelier process`);
			await store.close();
			expect((await writeUntilKilled(folder, "y", 1)).length).to.be.greaterThan(0);
		});
	});

	describe("a later version", () => {
		const before = defineCollection("things", { a: "text", b: "integer" }, { by: { columns: ["a"] } });
		const after = defineCollection(
			"things",
			{ a: "text", b: "integer", c: "json", d: "text" },
			{ by: { columns: ["a", "b"] }, by_d: { columns: ["d"], unique: true } },
		);

		it("adds columns and indexes to existing collections", async () => {
			const store = await open([before]);
			for (const b of [2, 1]) await store.insert(before, { id: `t${b}`, wire: "{}", a: "x", b });
			await store.close();
			const later = await open([after]);
			const { documents } = await later.find(after, "by", { equals: ["x"] }, { limit: 5 });
			expect(documents.map(({ id }) => id)).to.deep.equal(["t1", "t2"]);
			expect(await later.update(after, "t1", {}, { set: { d: "one" }, push: { c: 1 } })).to.deep.include({ c: [1] });
			expect(await failureOf(later.update(after, "t2", {}, { set: { d: "one" } }))).to.include({ key: "by_d" });
			await later.close();
			expect(await (await open([before])).get(before, "t2")).to.deep.equal({ id: "t2", wire: "{}", a: "x", b: 2 });
		});

		it("refuses a column whose type has changed, and leaves the file alone", async () => {
			await (await open([before])).close();
			const changed = defineCollection("things", { new: "text", a: "integer" }, {});
			expect(String(await failureOf(open([changed])))).to.include('its column "a" is not integer on disk');
			await open([before]);
		});
	});

	describe("grouped commits", () => {
		it("commits concurrent writes together, and single ones alone", async () => {
			const store = await open();
			await store.insert(jobs, job("a"));
			const before = commitsInLog(folder);
			for (let n = 0; n < 10; n++) await store.update(jobs, "a", {}, { inc: { rev: 1 } });
			const singly = commitsInLog(folder);
			const together = Array.from({ length: 400 }, () => store.update(jobs, "a", {}, { inc: { rev: 1 } }));
			await Promise.all([...together, store.insert(jobs, job("a")).catch(() => {})]);
			expect(singly - before).to.equal(10);
			expect(commitsInLog(folder) - singly).to.equal(1);
		});

		it("refuses writes beyond the queue, and makes those that wait", async () => {
			const store = await open();
			await store.insert(jobs, job("a", { spent: 0 }));
			const writes = Array.from({ length: 10_050 }, () => store.update(jobs, "a", {}, { inc: { spent: 1 } }));
			const outcomes = await Promise.allSettled(writes);
			const refused = outcomes.filter(({ status }) => status === "rejected");
			expect(refused).to.have.length(50);
			for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).to.be.instanceOf(UnavailableError);
			expect(await store.get(jobs, "a")).to.include({ spent: 10_000 });
		});

		it("shows a write when it is on the disk, not before", async () => {
			const store = await open();
			const before = commitsInLog(folder);
			const writing = store.insert(jobs, job("a"));
			expect(await store.get(jobs, "a")).to.equal(undefined);
			expect(commitsInLog(folder)).to.equal(before);
			await writing;
			expect(await store.get(jobs, "a")).to.deep.equal(job("a"));
			expect(commitsInLog(folder)).to.equal(before + 1);
		});
	});

	it("loses no acknowledged write when it is killed, in several rounds", async () => {
		const acknowledged: string[] = [];
		let counter = 0;
		for (let round = 0; round < 5; round++) {
			for (const line of await writeUntilKilled(folder, `${round}`, 400 + round * 137)) {
				if (line.startsWith("counter ")) counter = Math.max(counter, Number(line.slice(8)));
				else acknowledged.push(line);
			}
			const store = await open();
			expect((await store.get(jobs, "counter"))?.spent).to.be.at.least(counter);
			const waiting = new Set((await store.outbox(jobs, 100_000)).map(({ id }) => id));
			for (const id of acknowledged) {
				expect(await store.get(jobs, id), id).to.include({ made: id });
				expect(waiting.has(id), `event of ${id}`).to.equal(true);
			}
			// Other documents were not acknowledged in time, but they are complete: a document and its event.
			expect(await store.count(jobs, "by_state", { equals: ["acme", "new"] })).to.equal(waiting.size);
			await store.close();
		}
		expect(acknowledged.length).to.be.greaterThan(2_000);
	}).timeout(120_000);

	it("prints its speed on this machine (without a bound)", async () => {
		const store = await open();
		const ids = Array.from({ length: 1_000 }, (_, index) => `j${index}`);
		await Promise.all(ids.map((id) => store.insert(jobs, job(id, { notes: { filling: "x".repeat(1_500) } }))));
		let next = 0;
		const someId = () => `j${(next = (next + 7_919) % ids.length)}`;
		const update = () => store.update(jobs, someId(), { equals: { tenant: "acme" } }, { inc: { rev: 1 } }, []);
		const reads = await perSecond(() => store.get(jobs, someId()), 1);
		const single = await perSecond(update, 1);
		const many = await perSecond(update, 64);
		const micros = (1e6 / reads).toFixed(1);
		console.log(`      get ${micros} µs, durable updates/s: one by one ${single}, 64 at once ${many}`);
	});
});

/** The number of repetitions in a second, measured over a third of one. */
async function perSecond(run: () => Promise<unknown>, atOnce: number): Promise<number> {
	const start = performance.now();
	let done = 0;
	async function repeat(): Promise<void> {
		for (; performance.now() - start < 300; done++) await run();
	}
	await Promise.all(Array.from({ length: atOnce }, repeat));
	return Math.round((done / (performance.now() - start)) * 1_000);
}

/** The writes that a process has acknowledged when it is killed, some time after it acknowledged `least` of them. */
async function writeUntilKilled(folder: string, round: string, least: number): Promise<string[]> {
	const writer = spawn(process.execPath, [writerProgram, folder, round], {
		stdio: ["ignore", "pipe", "inherit"],
		timeout: 20_000,
	});
	const ended = once(writer, "close");
	const lines: string[] = [];
	for await (const line of createInterface({ input: writer.stdout })) {
		lines.push(line);
		if (lines.length === least) writer.kill("SIGKILL");
	}
	expect(await ended).to.deep.equal([null, "SIGKILL"]);
	return lines;
}
