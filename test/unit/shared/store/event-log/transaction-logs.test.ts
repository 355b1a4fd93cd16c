/** The logs that the embedded store fills in its transactions: numbers in the order of the queue, whatever fails in between. */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditChains } from "#shared/store/audit/audit-chains.ts";
import type { AuditFacts, ChainedEntry } from "#shared/store/audit/audit-chain.ts";
import { linkFault, chainStart } from "#shared/store/audit/audit-chain.ts";
import { auditCheckpointCollection, auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import { auditType } from "#shared/store/audit/audited-store.ts";
import { eventLogCollection } from "#shared/store/event-log/event-log-collection.ts";
import { TransactionLogs } from "#shared/store/event-log/transaction-logs.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { DuplicateKeyError, type OutboxEntry } from "#shared/store/port/documents.ts";
import { EmbeddedDatabase } from "#shared/store/embedded/embedded-database.ts";
import { sql } from "#shared/store/embedded/embedded-sql.ts";
import { EmbeddedTransactions } from "#shared/store/embedded/embedded-transactions.ts";
import { insertion } from "#shared/store/embedded/embedded-writes.ts";
import { WriteQueue } from "#shared/store/embedded/write-queue.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const things = defineCollection("things", { rev: "integer" }, {}, { hasOutbox: true, audited: "all" });
const collections = [things, eventLogCollection, auditLogCollection, auditCheckpointCollection];
const facts: AuditFacts = {
	time: "2026-01-01T00:00:00.000Z",
	actor: { kind: "user", id: "a" },
	action: "x",
	outcome: "done",
};

function told(n: number): OutboxEntry {
	return { n, type: "thing_updated", data: `${n}`, audience: { tenant: "t" }, at: n };
}

function audited(n: number, data = JSON.stringify({ write: `w${n}`, ...facts })): OutboxEntry {
	return { n, type: auditType, data, audience: { tenant: "t" }, at: n };
}

describe("the logs in the transactions of the embedded store", () => {
	let folder: string;
	let database: EmbeddedDatabase;
	let queue: WriteQueue;
	let transactions: EmbeddedTransactions;
	let chains: AuditChains;
	let hints: number[];
	let grown: string[];

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-logs-"));
		database = new EmbeddedDatabase(folder, collections);
		queue = new WriteQueue(database);
		transactions = new EmbeddedTransactions(database, queue);
		hints = [];
		grown = [];
		chains = new AuditChains((tenant) => grown.push(tenant));
		await transactions.enterEvents(new TransactionLogs(chains, (seq) => hints.push(seq)));
	});
	afterEach(() => {
		database.close();
		rmSync(folder, { recursive: true });
	});

	/** Queues an insertion with an event and an audit entry. */
	function write(id: string, n: number, events = [told(n), audited(n)]): Promise<true> {
		const statement = insertion(things, { id, wire: "{}", rev: n }, []);
		const run = (): true => {
			database.run(statement);
			return true;
		};
		return queue.add(() => transactions.entering({ collection: things, id, events }, run));
	}

	/** Queues a step that ends the transaction, as SQLite does when the disk fails. */
	function breakTransaction(times: number): Promise<void> {
		let left = times;
		return queue.add(() => {
			if (left-- > 0) database.run(sql("ROLLBACK"));
		});
	}

	const events = () => database.all(sql("SELECT id, seq, wire FROM event_log ORDER BY seq"));
	const numbers = () => events().map(({ seq, wire }) => `${Number(seq)}:${String(wire)}`);
	const ids = () => database.all(sql("SELECT id FROM things ORDER BY id")).map(({ id }) => id);

	/** Returns the keys of the chain, which must be whole. */
	function chain(): string[] {
		let head = chainStart;
		return database.all(sql("SELECT wire FROM audit_log ORDER BY seq")).map(({ wire }) => {
			const entry: ChainedEntry = JSON.parse(String(wire));
			expect(linkFault(head, entry)).to.equal(undefined);
			head = entry;
			return entry.key;
		});
	}

	it("number events in the order of the writes, under ids in that order, and announce a group once", async () => {
		await Promise.all(["d", "b", "a", "c"].map((id, index) => write(id, index + 1)));
		await write("e", 5);
		expect(numbers()).to.deep.equal(["1:1", "2:2", "3:3", "4:4", "5:5"]);
		const names = events().map(({ id }) => String(id));
		expect(names.toSorted()).to.deep.equal(names);
		expect(chain()).to.deep.equal([
			"things:d:1:w1",
			"things:b:2:w2",
			"things:a:3:w3",
			"things:c:4:w4",
			"things:e:5:w5",
		]);
		const entries = database.all(sql("SELECT id FROM audit_log ORDER BY seq")).map(({ id }) => String(id));
		expect(entries.toSorted()).to.deep.equal(entries);
		expect(hints).to.deep.equal([4, 5]);
		expect(grown).to.deep.equal(["t", "t"]);
		expect(database.all(sql("SELECT id FROM things WHERE _outbox IS NOT NULL"))).to.deep.equal([]);
	});

	it("announce nothing before it is durable", async () => {
		const order: string[] = [];
		const logs = new TransactionLogs(new AuditChains(() => {}), () => {
			order.push(`hint after ${ids().length}`);
			expect(() => database.run(sql("BEGIN IMMEDIATE")), "no transaction is open").not.to.throw();
			database.run(sql("COMMIT"));
		});
		await transactions.enterEvents(logs);
		await Promise.all([write("a", 1), write("b", 2)]);
		expect(order).to.deep.equal(["hint after 2"]);
	});

	it("undo a write whose entry cannot be made, and nothing else of its group", async () => {
		const broken = [told(2), audited(2, "no JSON")];
		expect(await failureOf(write("b", 2, broken)), "alone").to.be.an.instanceOf(SyntaxError);
		const whole = [audited(1), audited(2, "no JSON")];
		expect(await failureOf(write("b", 2, whole)), "alone, behind an entry").to.be.an.instanceOf(SyntaxError);
		await write("z", 7);
		const outcomes = await Promise.allSettled([write("a", 1), write("b", 2, broken), write("a", 9), write("c", 3)]);
		expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "rejected", "fulfilled"]);
		expect(ids()).to.deep.equal(["a", "c", "z"]);
		expect(numbers()).to.deep.equal(["1:7", "2:1", "3:3"]);
		expect(chain()).to.deep.equal(["things:z:7:w7", "things:a:1:w1", "things:c:3:w3"]);
		expect(hints).to.deep.equal([1, 3]);
		await write("d", 4);
		expect(numbers()).to.deep.equal(["1:7", "2:1", "3:3", "4:4"]);
		expect(chain()).to.have.length(4);
	});

	it("undo the audit entry of a write whose event cannot be made", async () => {
		const broken = { ...told(2), data: undefined as unknown as string };
		const outcomes = await Promise.allSettled([
			write("a", 1),
			write("b", 2, [audited(2), broken]),
			transactions.run((transaction) => {
				chains.enter(transaction, [{ tenant: "t", key: "kept with its step", facts }]);
				throw new Error("planted");
			}),
			write("c", 3),
		]);
		expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "rejected", "fulfilled"]);
		expect(chain()).to.deep.equal(["things:a:1:w1", "things:c:3:w3"]);
		expect(numbers()).to.deep.equal(["1:1", "2:3"]);
	});

	it("go on behind what is stored after a transaction that was rolled back", async () => {
		await write("a", 1);
		const lost = await Promise.allSettled([write("b", 2), write("c", 3), breakTransaction(9)]);
		expect(lost.map(({ status }) => status)).to.deep.equal(["rejected", "rejected", "rejected"]);
		expect(numbers()).to.deep.equal(["1:1"]);
		await queue.add(() => {});
		expect(hints, "nothing that is not stored").to.deep.equal([1]);
		await write("d", 4);
		expect(numbers()).to.deep.equal(["1:1", "2:4"]);
		expect(chain()).to.deep.equal(["things:a:1:w1", "things:d:4:w4"]);
		expect(ids()).to.deep.equal(["a", "d"]);
		expect(hints).to.deep.equal([1, 2]);
	});

	it("number each event once in a transaction that runs again", async () => {
		await Promise.all([write("a", 1), write("b", 2), breakTransaction(1), write("c", 3)]);
		expect(numbers()).to.deep.equal(["1:1", "2:2", "3:3"]);
		expect(chain()).to.have.length(3);
		expect(hints).to.deep.equal([3]);
	});

	it("go on behind entries that others have appended", async () => {
		await write("a", 1);
		await queue.add(() => {
			transactions.appended(eventLogCollection);
			database.run(insertion(eventLogCollection, { id: "x", wire: "x", seq: 2 }, []));
		});
		let runs = 0;
		await Promise.all([queue.add(() => ++runs), write("b", 2)]);
		expect(numbers()).to.deep.equal(["1:1", "2:x", "3:2"]);
		expect(runs, "the transaction did not have to run again").to.equal(1);
	});

	it("run a step of several documents as a whole", async () => {
		const step = transactions.run((transaction) => {
			transaction.insert(things, { id: "a", wire: "{}", rev: 1 });
			transaction.insert(things, { id: "a", wire: "{}", rev: 2 });
		});
		expect(await failureOf(step)).to.be.an.instanceOf(DuplicateKeyError);
		expect(ids()).to.deep.equal([]);
	});
});
