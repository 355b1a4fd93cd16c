/** The relays of several processes over one store: one moves the events of all, and another one follows it. */
import { expect } from "chai";
import {
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
} from "#shared/store/event-log/event-log-collection.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { LogReaders } from "#shared/store/event-log/log-readers.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import type { OutboxEntry } from "#shared/store/port/documents.ts";
import { eventually } from "../../support/eventually.ts";
import { logsOn } from "../../support/stores/logs-on.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";

const things = defineCollection("things", { rev: "integer" }, {}, { hasOutbox: true });
const collections = [things, eventLogCollection, eventLogNameCollection, eventLogReaderCollection, leaseCollection];

/** The longest that a process without a hint waits, and three times that for a busy machine, in milliseconds. */
const pollMs = 1_000;
const takeoverMs = 5_000;

function event(n: number): OutboxEntry {
	return { n, type: "session_updated", data: JSON.stringify({ n }), audience: { tenant: "t" }, at: n };
}

/** One process: a relay with leases of its own, and a store that the test can cut off. */
class RelayProcess {
	readonly relay: OutboxRelay;
	/** The rows that it has tried to append. */
	appended = 0;
	#isCut = false;

	constructor(store: DocumentStore, leaseMs: number | undefined, isShared: boolean) {
		const own = this.#cutable(store);
		this.relay = new OutboxRelay(own, logsOn(own), [things], () => {});
		if (isShared) this.relay.share(new StoredLeases(own, leaseMs));
	}

	/** Lets the process lose its store, as if it had been killed: it hands nothing back. */
	kill(): void {
		this.#isCut = true;
	}

	#cutable(store: DocumentStore): DocumentStore {
		const methods = documentStoreMethods.map((name) => [
			name,
			async (...args: unknown[]) => {
				if (this.#isCut) throw new Error("Cut off");
				if (name === "append") this.appended += (args[1] as unknown[]).length;
				return Reflect.apply(store[name], store, args);
			},
		]);
		return { ...(Object.fromEntries(methods) as unknown as DocumentStore), isShared: true };
	}
}

for (const [engine, open, leaseMs] of [
	["SQLite", openEmbedded, 2_600],
	["MongoDB's wire protocol", openOnEndpoint, undefined],
] as const) {
	describe(`the relays of two processes on ${engine}`, function () {
		this.timeout(60_000);
		let opened: Awaited<ReturnType<typeof open>>;
		let store: DocumentStore;
		let log: EventLog;
		let processes: RelayProcess[];

		beforeEach(async () => {
			opened = await open(collections);
			({ store } = opened);
			log = new EventLog(store);
			processes = [];
		});
		afterEach(async () => {
			await Promise.all(processes.map(({ relay }) => relay.stop()));
			await opened.discard();
		});

		/** Starts processes, the first of which leads. */
		async function start(count: number, { isShared = true, areHinted = true } = {}): Promise<RelayProcess[]> {
			for (let n = 0; n < count; n++) {
				const one = new RelayProcess(store, leaseMs, isShared);
				processes.push(one);
				one.relay.onHint((all) => {
					if (areHinted) for (const other of processes) if (other !== one) other.relay.hinted(all);
				});
				one.relay.onMoved((seq) => {
					for (const other of processes) if (other !== one) other.relay.movedElsewhere(seq);
				});
				one.relay.start();
				await eventually(() => processes[0]?.relay.isLeading);
			}
			return processes;
		}

		async function write(id: string, { relay }: RelayProcess): Promise<void> {
			await store.insert(things, { id, wire: "{}", rev: 1 }, [event(1)]);
			relay.wake();
		}

		/** Writes 400 documents, half of them in each process; resolves to the rows that were appended for them. */
		async function appendedFor400(count: 1 | 2, isShared: boolean): Promise<number> {
			const [first, second = first] = await start(count, { isShared });
			if (!first || !second) return expect.fail();
			for (let n = 0; n < 400; n += 20)
				await Promise.all(Array.from({ length: 20 }, (_, k) => write(`d${n + k}`, k % 2 === 0 ? first : second)));
			await eventually(async () => (await log.head()).seq === 400);
			await eventually(async () => (await store.outbox(things, 1)).length === 0);
			return processes.reduce((sum, { appended }) => sum + appended, 0);
		}

		it("append no more rows than one relay does (M11)", async () => {
			expect(await appendedFor400(2, true)).to.equal(400);
		});

		it("would append many rows twice without the lease, which the test above notices", async () => {
			expect(await appendedFor400(2, false)).to.be.greaterThan(400);
		});

		it("move what the other process wrote at once, because it gives a hint", async () => {
			const [, second] = await start(2);
			if (!second) return expect.fail();
			let seen = 0;
			second.relay.onAppended(() => seen++);
			const since = performance.now();
			await write("a", second);
			await eventually(() => seen === 1);
			expect(performance.now() - since).to.be.lessThan(pollMs * 0.9);
			expect(second.appended).to.equal(0);
		});

		it("move what the other process wrote within a second when all hints are lost", async () => {
			const [, second] = await start(2, { areHinted: false });
			if (!second) return expect.fail();
			await write("a", second);
			await eventually(async () => (await log.head()).seq === 1, { withinMs: 3 * pollMs });
		});

		it("move what a process wrote that never moves: it gives hints, hears of moves, and notes how far it has read", async () => {
			const [first] = await start(1);
			if (!first) return expect.fail();
			const follower = new RelayProcess(store, leaseMs, true);
			processes.push(follower);
			const [seen, hints]: [number[], boolean[]] = [[], []];
			follower.relay.onHint((all) => {
				hints.push(all);
				first.relay.hinted(all);
			});
			expect(follower.relay.isFollowed).to.equal(false);
			follower.relay.onAppended(() => seen.push(hints.length));
			expect(follower.relay.isFollowed).to.equal(true);
			follower.relay.follow();
			const since = performance.now();
			await write("a", follower);
			await eventually(() => seen.length === 1);
			expect(performance.now() - since, "sooner than by the poll").to.be.lessThan(pollMs * 0.9);
			expect(hints).to.deep.equal([false]);
			await first.relay.stop();
			await write("b", follower);
			await eventually(() => hints.length === 2);
			expect(follower.relay.isLeading, "it takes no lease, though it is free").to.equal(false);
			expect(follower.appended).to.equal(0);
		});

		it("lose nothing when the one that moves is killed: the other one takes over", async () => {
			const [first, second] = await start(2);
			if (!first || !second) return expect.fail();
			await write("a", first);
			await eventually(async () => (await log.head()).seq === 1);
			first.kill();
			await write("b", second);
			await eventually(() => second.relay.isLeading, { withinMs: 3 * takeoverMs });
			expect(first.relay.isLeading, "the former one knows that it does not lead").to.equal(false);
			await eventually(async () => (await log.head()).seq === 2);
		});

		it("go on without a pause when the one that moves ends in order", async () => {
			const [first, second] = await start(2);
			if (!first || !second) return expect.fail();
			await first.relay.stop();
			const since = performance.now();
			await write("b", second);
			await eventually(async () => (await log.head()).seq === 1);
			expect(performance.now() - since, "sooner than a lease runs out").to.be.lessThan(takeoverMs / 2);
		});

		it("keep entries that the reader of another process has not read yet", async () => {
			const readers = [new LogReaders(store, log), new LogReaders(store, log)] as const;
			expect(await readers[0].floor()).to.equal(Infinity);
			readers[1].add("slow", async () => {});
			await readers[1].read();
			const [first] = await start(1);
			if (!first) return expect.fail();
			for (const id of ["a", "b"]) await write(id, first);
			await eventually(async () => (await log.head()).seq === 2);
			expect(await readers[0].floor()).to.equal(0);
			await readers[1].read();
			expect(await readers[0].floor()).to.equal(2);
			await store.update(eventLogReaderCollection, "slow", {}, { set: { epoch: "another", seq: 99 } });
			expect(await readers[0].floor(), "a place in another log is none in this one").to.equal(0);
			await store.update(eventLogReaderCollection, "slow", {}, { set: { at: 1 } });
			expect(await readers[0].floor(), "a reader that is gone for a day holds nothing up").to.equal(Infinity);
		});
	});
}
