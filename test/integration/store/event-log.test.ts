/** The event log with several relays that fail and repeat: every event once, in order, without gaps. */
import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
} from "#shared/store/event-log/event-log-collection.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { fitsJson } from "#shared/base/schema/json-size.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import type { LogEntry } from "#shared/contracts/event-log.ts";
import { defineCollection } from "#shared/store/collection.ts";
import type { DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import type { OutboxEntry } from "#shared/store/port/documents.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { eventually } from "../../support/eventually.ts";
import { logsOn } from "../../support/stores/logs-on.ts";

const things = defineCollection("things", { rev: "integer" }, {}, { hasOutbox: true });
const audience = { tenant: "t", owner: "o" };

function event(n: number): OutboxEntry {
	return { n, type: "session_updated", data: JSON.stringify({ n }), audience, at: n };
}

describe("event log", () => {
	let folder: string;
	let store: DocumentStore;
	let log: EventLog;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-log-"));
		store = new EmbeddedStore({ folder });
		await store.open([things, eventLogCollection, eventLogNameCollection, eventLogReaderCollection]);
		log = new EventLog(store);
	});
	afterEach(async () => {
		await store.close();
		await rm(folder, { recursive: true });
	});

	async function all(): Promise<LogEntry[]> {
		const entries: LogEntry[] = [];
		for (;;) {
			const more = await log.read(entries.length, 500);
			if (more.length === 0) return entries;
			entries.push(...more);
		}
	}

	/** Adds `ids` documents, each with events 1..`n`, in one write each. */
	async function write(ids: readonly string[], n: number): Promise<void> {
		await Promise.all(
			ids.map(async (id) => {
				await store.insert(things, { id, wire: "{}", rev: 1 }, [event(1)]);
				for (let rev = 2; rev <= n; rev++) await store.update(things, id, {}, { set: { rev } }, [event(rev)]);
			}),
		);
	}

	it("begins empty, with a permanent name", async () => {
		const head = await log.head();
		expect(head).to.include({ seq: 0, oldest: 1 });
		expect(await new EventLog(store).head()).to.deep.equal(head);
	});

	it("has every event once although three relays race and every third of their trims is lost", async () => {
		let trims = 0;
		const forgetful = new Proxy(store, {
			get(target, name: (typeof documentStoreMethods)[number]) {
				if (name !== "trimOutbox") return target[name].bind(target);
				return (...args: Parameters<DocumentStore["trimOutbox"]>) =>
					++trims % 3 === 0 ? Promise.reject(new Error("lost")) : target.trimOutbox(...args);
			},
		});
		const relays = Array.from({ length: 3 }, () => {
			return new OutboxRelay(forgetful, logsOn(forgetful), [things], () => {});
		});
		const ids = Array.from({ length: 20 }, (_, index) => `thing-${index}`);
		let written = false;
		const writing = write(ids, 10).then(() => {
			written = true;
		});
		const entries = await eventually(
			async () => {
				for (const relay of relays) relay.wake();
				return written && (await store.outbox(things, 1)).length === 0 && all();
			},
			{ withinMs: 20_000 },
		);
		await writing;
		for (const relay of relays) await relay.stop();
		expect(entries).to.have.length(200);
		expect(entries.map(({ seq }) => seq)).to.deep.equal(entries.map((_, index) => index + 1));
		expect(trims).to.be.greaterThan(3);
	});

	it("returns the events with counters, and no others", async () => {
		const relay = new OutboxRelay(store, logsOn(store, log), [things], () => {});
		await store.insert(things, { id: "a", wire: "{}", rev: 1 }, [{ ...event(1), counters: { apples: 2, pears: -1 } }]);
		await store.update(things, "a", {}, { set: { rev: 2 } }, [event(2)]);
		const ofTenant = { ...event(3), audience: { tenant: "t" }, counters: { apples: 1 } };
		await store.update(things, "a", {}, { set: { rev: 3 } }, [ofTenant]);
		relay.wake();
		await eventually(async () => (await log.head()).seq === 3);
		await relay.stop();
		const last = { key: "things:a:3", seq: 3, audience: { tenant: "t" }, counters: { apples: 1 } };
		expect(await log.counted(0, 10)).to.deep.equal([
			{ key: "things:a:1", seq: 1, audience, counters: { apples: 2, pears: -1 } },
			last,
		]);
		expect(await log.counted(0, 1)).to.have.length(1);
		expect(await log.counted(1, 10)).to.deep.equal([last]);
	});

	it("keeps the order of a document although the clock was set back between its events (M10)", async () => {
		const relay = new OutboxRelay(store, logsOn(store, log), [things], () => {});
		const at = (n: number, time: number): OutboxEntry => ({ ...event(n), at: time });
		await store.insert(things, { id: "a", wire: "{}", rev: 1 }, [at(1, 5_000)]);
		await store.update(things, "a", {}, { set: { rev: 2 } }, [at(2, 6_000)]);
		await store.update(things, "a", {}, { set: { rev: 3 } }, [at(3, 4_000)]);
		await store.insert(things, { id: "b", wire: "{}", rev: 1 }, [at(7, 4_500)]);
		await store.update(things, "b", {}, { set: { rev: 2 } }, [at(8, 5_500)]);
		relay.wake();
		const entries = await eventually(async () => {
			const read = await all();
			return read.length === 5 && read;
		});
		await relay.stop();
		expect(entries.map(({ data }) => JSON.parse(data).n)).to.deep.equal([7, 1, 8, 2, 3]);
	});

	it("replaces an entry that fits no answer by a marker, and returns the entries around it (C1)", async () => {
		const document = (seq: number, wire: string) => ({ id: `x:${seq}`, wire, seq, type: "t", tenant: "t", at: 0 });
		const large = JSON.stringify("x".repeat(2 * 1_048_576));
		// Each of its quotes takes two bytes as it is transferred.
		const quotes = JSON.stringify('"'.repeat(200_000));
		await store.append(eventLogCollection, [document(1, "{}"), document(2, large), document(3, quotes)]);
		await store.append(eventLogCollection, [document(4, "{}")]);
		const read = async (after: number) => (await log.read(after, 10)).map(({ seq, skipped = false }) => [seq, skipped]);
		expect(await read(0)).to.deep.equal([[1, false]]);
		expect(await read(1)).to.deep.equal([[2, true]]);
		expect(await read(2)).to.deep.equal([[3, true]]);
		expect(await read(3)).to.deep.equal([[4, false]]);
	});

	it("returns no more than fits a message, also with long names (C1)", async () => {
		const owner = "\u0001".repeat(255);
		const many = Array.from({ length: 500 }, (_, index) => index + 1);
		await store.append(
			eventLogCollection,
			many.map((seq) => ({ id: `x:${seq}`, wire: "{}", seq, type: "t", tenant: owner, owner, at: 0 })),
		);
		const first = await log.read(0, 500);
		expect(first.length).to.be.within(2, 499);
		expect(fitsJson(first, maxMessageBytes)).to.equal(true);
		expect(await all()).to.have.length(500);
	});

	it("stops reading at a gap, and fills it with entries that say so (H10)", async () => {
		const document = (seq: number) => ({ id: `x:${seq}`, wire: "{}", seq, type: "t", tenant: "t", at: 0 });
		await store.append(eventLogCollection, [document(1), document(2), document(5)]);
		expect((await log.read(0, 10)).map(({ seq }) => seq)).to.deep.equal([1, 2]);
		await Promise.all([log.read(2, 10), new EventLog(store).read(2, 10)]);
		const entries = await log.read(0, 10);
		expect(entries.map(({ seq, skipped = false }) => [seq, skipped])).to.deep.equal([
			[1, false],
			[2, false],
			[3, true],
			[4, true],
			[5, false],
		]);
		await log.append([{ key: "x:6", entry: event(6) }]);
		expect((await log.read(5, 10)).map(({ seq }) => seq)).to.deep.equal([6]);
	});

	it("does not treat entries that were removed by age as a gap (H10)", async () => {
		const document = (seq: number) => ({ id: `x:${seq}`, wire: "{}", seq, type: "t", tenant: "t", at: 0 });
		await store.append(eventLogCollection, [document(8), document(9)]);
		await log.read(3, 10);
		expect(await log.head()).to.include({ seq: 9, oldest: 8 });
	});

	it("moves a few events of a document at a time, so that others do not wait for all of them (X4)", async () => {
		const relay = new OutboxRelay(store, logsOn(store, log), [things], () => {});
		await store.insert(
			things,
			{ id: "a", wire: "{}", rev: 1 },
			Array.from({ length: 500 }, (_, n) => event(n + 1)),
		);
		await store.insert(things, { id: "b", wire: "{}", rev: 1 }, [{ ...event(1), type: "session_created", at: 1_000 }]);
		relay.wake();
		await relay.settled();
		const entries = await all();
		expect(entries).to.have.length(501);
		expect(entries.findIndex(({ type }) => type === "session_created")).to.be.below(50);
		const others = entries.filter(({ type }) => type === "session_updated");
		expect(others.map(({ data }) => (JSON.parse(data) as { n: number }).n)).to.deep.equal(
			Array.from({ length: 500 }, (_, n) => n + 1),
		);
		await relay.stop();
	});

	it("removes entries beyond 64 MB and beyond 100,000, however new (X4)", async () => {
		const at = Date.now();
		const large = Array.from({ length: 100 }, (_, n) => n + 1);
		await store.append(
			eventLogCollection,
			large.map((seq) => ({ id: `x:${seq}`, wire: "{}", seq, type: "t", tenant: "t", at, bytes: 1_000_000 })),
		);
		await log.trim();
		expect(await log.head()).to.include({ seq: 100, oldest: 37 });
		await log.trim(40);
		await write(["a"], 1);
		expect(await log.head()).to.include({ oldest: 37 });
	});

	it("is trimmed as soon as it has grown by 5,000 entries, and not only once a minute (X4)", async () => {
		const relay = new OutboxRelay(store, logsOn(store, log), [things], () => {});
		const move = async (id: string) => {
			await store.insert(things, { id, wire: "{}", rev: 1 }, [event(1)]);
			relay.wake();
			await relay.settled();
		};
		await move("a");
		const document = { wire: "{}", type: "t", tenant: "t", at: Date.now(), bytes: 100_000 };
		for (let seq = 2; seq < 5_002; seq += 500) {
			const some = Array.from({ length: 500 }, (_, n) => ({ ...document, id: `x:${seq + n}`, seq: seq + n }));
			await store.append(eventLogCollection, some);
		}
		await move("b");
		await eventually(async () => (await log.head()).oldest > 4_000);
		await relay.stop();
	});

	it("keeps the newest 20,000 entries however old, and removes older ones", async () => {
		for (let start = 1; start <= 20_100; start += 300) {
			const batch = Array.from({ length: 300 }, (_, index) => start + index);
			await store.append(
				eventLogCollection,
				batch.map((seq) => ({ id: `x:${seq}`, wire: "{}", seq, type: "t", tenant: "t", at: 0 })),
			);
		}
		await log.trim();
		expect(await log.head()).to.include({ seq: 20_100, oldest: 101 });
	});
});
