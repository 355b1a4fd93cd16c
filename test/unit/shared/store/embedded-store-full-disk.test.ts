/** A disk that is full, a real one: a small file system in memory, where this process may mount one. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { UnavailableError } from "#shared/errors.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { job, jobs, sampleCollections } from "../../../support/sample-collections.ts";

describe("EmbeddedStore on a full disk", () => {
	let disk: string;
	let mounted = false;

	before(function () {
		disk = mkdtempSync(join(tmpdir(), "atelier-disk-"));
		try {
			execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], { stdio: "pipe" });
			mounted = true;
		} catch (error) {
			console.log(`      NOT TRIED, no file system may be mounted here: ${String(error).split("\n")[0]}`);
			this.skip();
		}
	});

	after(() => {
		if (mounted) execFileSync("umount", [disk]);
		rmdirSync(disk);
	});

	it("refuses whole groups, goes on reading, and writes again when there is room", async () => {
		const ballast = join(disk, "ballast");
		writeFileSync(ballast, Buffer.alloc(600_000));
		const store = new EmbeddedStore({ folder: join(disk, "store") });
		await store.open(sampleCollections);
		const acknowledged: string[] = [];
		const refused: string[] = [];

		/** Eight documents of 8 KB in one commit. */
		async function writeGroup(group: number): Promise<void> {
			const ids = Array.from({ length: 8 }, (_, index) => `${group}-${index}`);
			const wire = JSON.stringify("x".repeat(8_000));
			const outcomes = await Promise.allSettled(ids.map((id) => store.insert(jobs, job(id, { wire }))));
			const failures = outcomes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
			for (const { reason } of failures) expect(reason).to.be.instanceOf(UnavailableError);
			expect(failures.length).to.be.oneOf([0, 8]);
			(failures.length === 0 ? acknowledged : refused).push(...ids);
		}

		async function expectTruth(): Promise<void> {
			for (const id of acknowledged) expect(await store.get(jobs, id), id).to.include({ id });
			for (const id of refused) expect(await store.get(jobs, id), id).to.equal(undefined);
			expect(await store.count(jobs, "by_tenant", { equals: ["acme"] })).to.equal(acknowledged.length);
		}

		for (let group = 0; refused.length < 24; group++) await writeGroup(group);
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
		await store.close();
	});
});
