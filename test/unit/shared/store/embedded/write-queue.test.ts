/** The queue of the embedded store's writes: no outcome before the disk has it, and nothing but writers waits for the disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { EmbeddedDatabase } from "#shared/store/embedded/embedded-database.ts";
import { countSelection } from "#shared/store/embedded/embedded-reads.ts";
import { insertion } from "#shared/store/embedded/embedded-writes.ts";
import { WriteQueue } from "#shared/store/embedded/write-queue.ts";
import { indexQuery } from "#shared/store/index-query.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { job, jobs } from "../../../../support/stores/sample-collections.ts";

/** The database on a disk that keeps each commit when the test says so. */
class SlowDisk {
	readonly database: EmbeddedDatabase;
	readonly syncs: PromiseWithResolvers<void>[] = [];
	commits = 0;

	constructor(database: EmbeddedDatabase) {
		this.database = database;
	}

	get isShort(): boolean {
		return this.database.isShort;
	}

	transaction(steps: readonly (() => void)[]): void {
		this.commits++;
		this.database.transaction(steps);
	}

	sync(): Promise<void> {
		const sync = Promise.withResolvers<void>();
		this.syncs.push(sync);
		return sync.promise;
	}
}

describe("WriteQueue", () => {
	let folder: string;
	let disk: SlowDisk;
	let queue: WriteQueue;
	let outcomes: string[];
	let committed: number;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-queue-"));
		disk = new SlowDisk(new EmbeddedDatabase(folder, [jobs]));
		queue = new WriteQueue(disk);
		await queue.fill({ enter: () => {}, begin: () => {}, appended: () => {}, committed: () => void committed++ });
		outcomes = [];
		committed = 0;
	});

	afterEach(() => {
		disk.database.close();
		rmSync(folder, { recursive: true });
	});

	const add = (id: string) => {
		const write = queue.add(() => disk.database.run(insertion(jobs, job(id), [])));
		return write.then(() => void outcomes.push(id));
	};
	const present = () =>
		disk.database.first(countSelection(jobs, indexQuery(jobs, "by_tenant", { equals: ["acme"] })))?.["count"];
	const begun = async (syncs: number) => {
		while (disk.syncs.length < syncs) await nextTurn();
	};

	it("tells nobody of a write before the disk has it, and serves reads meanwhile", async () => {
		const write = add("a");
		await begun(1);
		for (let turn = 0; turn < 10; turn++) await nextTurn();
		expect(present()).to.equal(1);
		expect([outcomes, committed]).to.deep.equal([[], 0]);
		disk.syncs[0]?.resolve();
		await write;
		expect([outcomes, committed]).to.deep.equal([["a"], 1]);
	});

	it("shows when what can be read is on the disk", async () => {
		await queue.durable();
		const write = add("a");
		await begun(1);
		let isDurable = false;
		const durable = queue.durable().then(() => (isDurable = true));
		for (let turn = 0; turn < 10; turn++) await nextTurn();
		expect(isDurable).to.equal(false);
		disk.syncs[0]?.resolve();
		await Promise.all([write, durable]);
		await queue.durable();
	});

	it("commits all writes that come during a sync together, with the next one", async () => {
		const writes = [add("a")];
		await begun(1);
		writes.push(add("b"), add("c"));
		for (let turn = 0; turn < 10; turn++) await nextTurn();
		writes.push(add("d"));
		expect(disk.commits).to.equal(1);
		disk.syncs[0]?.resolve();
		await begun(2);
		expect([outcomes, disk.commits]).to.deep.equal([["a"], 2]);
		disk.syncs[1]?.resolve();
		await Promise.all(writes);
		expect([outcomes, disk.commits, committed]).to.deep.equal([["a", "b", "c", "d"], 2, 2]);
	});

	it("fails all writes of a commit that the disk does not keep, and tells the logs of none", async () => {
		const writes = [failureOf(add("a")), failureOf(add("b"))];
		await begun(1);
		disk.syncs[0]?.reject(new Error("planted"));
		for (const failure of await Promise.all(writes)) expect(failure).to.have.property("message", "planted");
		expect([outcomes, committed]).to.deep.equal([[], 0]);
	});

	it("commits what waits, one sync after the other, and is settled when every outcome is known", async () => {
		const first = add("a");
		await begun(1);
		const second = add("b");
		let settled = false;
		const settling = queue.settled().then(() => (settled = true));
		for (let turn = 0; turn < 10; turn++) await nextTurn();
		expect([settled, disk.commits]).to.deep.equal([false, 1]);
		disk.syncs[0]?.resolve();
		await begun(2);
		expect([settled, outcomes]).to.deep.equal([false, ["a"]]);
		disk.syncs[1]?.resolve();
		await Promise.all([first, second, settling]);
		expect(outcomes).to.deep.equal(["a", "b"]);
	});
});
