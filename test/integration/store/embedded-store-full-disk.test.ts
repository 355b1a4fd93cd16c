/** A disk that is really full: a small file system in memory, if this process may mount one. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { UnavailableError } from "#shared/base/errors.ts";
import { makingRoom } from "#shared/base/files/making-room.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { SmallDisk } from "../../support/hostile/small-disk.ts";
import { event, job, jobs, sampleCollections } from "../../support/stores/sample-collections.ts";

describe("EmbeddedStore on a full disk", () => {
	let disk: string;
	let mounted = false;
	let store: EmbeddedStore;

	before(function () {
		disk = mkdtempSync(join(tmpdir(), "atelier-disk-"));
		store = new EmbeddedStore({ folder: join(disk, "store") });
		try {
			execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], { stdio: "pipe" });
			mounted = true;
		} catch (error) {
			console.log(`      NOT TRIED, no file system may be mounted here: ${String(error).split("\n")[0]}`);
			this.skip();
		}
	});

	after(async () => {
		await store.close();
		if (mounted) execFileSync("umount", [disk]);
		rmdirSync(disk);
	});

	it("refuses whole groups, goes on reading, and writes again when there is room", async () => {
		const ballast = join(disk, "ballast");
		writeFileSync(ballast, Buffer.alloc(600_000));
		await store.open(sampleCollections);
		const acknowledged: string[] = [];
		const refused: string[] = [];

		let acknowledgedRev = 0;
		await store.insert(jobs, job("changed", { tenant: "other", rev: 0 }));

		/** Adds documents of these lengths and changes one, in one commit. */
		async function writeGroup(group: number, lengths = Array.from({ length: 8 }, () => 8_000)): Promise<void> {
			const documents = lengths.map((length, index) => job(`${group}-${index}`, { wire: "x".repeat(length) }));
			const change = store.update(jobs, "changed", {}, { set: { rev: group + 1 } });
			change.then(
				() => (acknowledgedRev = group + 1),
				() => {},
			);
			const outcomes = await Promise.allSettled(documents.map((document) => store.insert(jobs, document)));
			const failures = outcomes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
			for (const { reason } of failures) expect(reason).to.be.instanceOf(UnavailableError);
			expect(failures.length).to.be.oneOf([0, lengths.length]);
			(failures.length === 0 ? acknowledged : refused).push(...documents.map(({ id }) => id));
		}

		async function expectTruth(): Promise<void> {
			for (const id of acknowledged) expect(await store.get(jobs, id), id).to.include({ id });
			for (const id of refused) expect(await store.get(jobs, id), id).to.equal(undefined);
			expect(await store.get(jobs, "changed")).to.include({ rev: acknowledgedRev });
			expect(await store.count(jobs, "by_tenant", { equals: ["acme"] })).to.equal(acknowledged.length);
		}

		// The size exceeds what SQLite keeps in memory: the disk is full before the commit, and small writes follow that
		// would fit.
		await writeGroup(0, [...Array.from({ length: 200 }, () => 16_000), 10, 10, 10]);
		expect(refused).to.have.length(203);
		await expectTruth();

		for (let group = 1; refused.length < 203 + 24; group++) await writeGroup(group);
		expect(acknowledged).not.to.deep.equal([]);
		await expectTruth();

		rmSync(ballast);
		const before = acknowledged.length;
		for (let group = 1_000; group < 1_004; group++) await writeGroup(group);
		expect(acknowledged.length).to.equal(before + 32);
		await expectTruth();

		await store.close();
		await store.open(sampleCollections);
		await expectTruth();
	});

	it("goes on in the room that it has reserved, for many commits, when others have taken all of the disk", async function () {
		using small = SmallDisk.mount(4);
		if (!small) return this.skip();
		const reserving = new EmbeddedStore({ folder: join(small.folder, "store"), reserve_mb: 0.5 });
		await reserving.open(sampleCollections);
		try {
			await reserving.insert(jobs, job("running", { rev: 0 }));
			small.fill();
			for (let rev = 1; rev <= 200; rev++)
				await makingRoom(() => reserving.update(jobs, "running", {}, { set: { rev } }, [event(rev)]));
			await reserving.trimOutbox(jobs, "running", 200);
			expect(await reserving.remove(jobs, "running", {})).to.equal(true);
		} finally {
			small.empty();
			await reserving.close();
		}
	});

	it("keeps its reserve for what makes room: other writers are refused first, whatever they have written before (X2)", async function () {
		using small = SmallDisk.mount(16);
		if (!small) return this.skip();
		const reserving = new EmbeddedStore({ folder: join(small.folder, "store"), reserve_mb: 1 });
		await reserving.open(sampleCollections);
		try {
			await reserving.insert(jobs, job("running", { rev: 0 }));
			// Ordinary use takes the free pages that the file had at the start.
			for (let n = 0; n < 30; n++) await reserving.insert(jobs, job(`used-${n}`, { wire: "x".repeat(100_000) }));
			small.fill();
			const refused: unknown[] = [];
			for (let n = 0; refused.length < 40 && n < 1_000; n++)
				await reserving.insert(jobs, job(`other-${n}`, { wire: "x".repeat(20_000) })).catch((e) => refused.push(e));
			expect(refused).to.have.length(40);
			for (const each of refused) expect(each).to.be.instanceOf(UnavailableError);
			for (let rev = 1; rev <= 500; rev++)
				await makingRoom(() => reserving.update(jobs, "running", {}, { set: { rev } }, [event(rev)]));
			expect(await reserving.get(jobs, "running")).to.include({ rev: 500 });
			await reserving.remove(jobs, "used-0", {});
			expect(await reserving.get(jobs, "used-0")).to.equal(undefined);
			small.empty();
			await reserving.insert(jobs, job("later"));
			expect(await reserving.get(jobs, "later")).to.include({ id: "later" });
		} finally {
			small.empty();
			await reserving.close();
		}
	});
});
