/** The suite of migrations: they hold on every store, with several processes at a time. */
import { expect } from "chai";
import type { Leases } from "#shared/store/leases/leases.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import { type Migration, MigrationLost, type MigrationWork } from "#shared/store/migrations/migration.ts";
import { migrationCollection } from "#shared/store/migrations/migration-collection.ts";
import { runMigrations } from "#shared/store/migrations/run-migrations.ts";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { job, jobs } from "../../support/stores/sample-collections.ts";
import type { StoreUnderTest } from "../document-store.contract.ts";

/** Adds 1 to `spent` of each job, a page at a time, and remembers the position. */
async function count({ store, position, reached }: MigrationWork): Promise<void> {
	for (let after = position; ; ) {
		const page = { limit: 2, ...(after !== undefined && { after }) };
		const { documents, next } = await store.find(jobs, "by_tenant", { equals: ["acme"] }, page);
		for (const { id, rev = 0 } of documents)
			if (rev === 1) await store.update(jobs, id, { equals: { rev } }, { inc: { spent: 1 }, set: { rev: 2 } });
		if (next === undefined) return;
		await reached((after = next));
	}
}

const counting: Migration = { version: 1, name: "count", kind: "expand", run: count };
const nothing = async () => {};

/** @param open Opens an empty store with these collections. */
export function describeMigrations(
	engine: string,
	open: (collections: readonly Collection[]) => Promise<StoreUnderTest>,
): void {
	describe(`migrations on ${engine}`, () => {
		let subject: StoreUnderTest;
		let store: DocumentStore;
		const said: string[] = [];

		beforeEach(async () => {
			subject = await open([jobs, leaseCollection, migrationCollection]);
			({ store } = subject);
			said.length = 0;
			for (const id of ["a", "b", "c", "d", "e"]) await store.insert(jobs, job(id, { spent: 0 }));
		});
		afterEach(() => subject.discard());

		/** Runs the migrations as a process with leases of its own does. */
		function run(own: readonly Migration[], leases: Leases = new StoredLeases(store)): Promise<void> {
			return runMigrations({
				store,
				leases,
				migrations: new Map([["jobs", own]]),
				announce: (sentence) => said.push(sentence),
			});
		}

		const state = async (version: number) => (await store.get(migrationCollection, `jobs:${version}`))?.state;

		async function spent(): Promise<(number | undefined)[]> {
			const { documents } = await store.find(jobs, "by_tenant", { equals: ["acme"] }, { limit: 100 });
			return documents.map((document) => document.spent);
		}

		it("run once, in the order of their versions", async () => {
			const ran: number[] = [];
			const numbered = (version: number): Migration => ({
				version,
				name: `number ${version}`,
				kind: "expand",
				run: async () => void ran.push(version),
			});
			await run([numbered(2), numbered(1)]);
			await run([numbered(2), numbered(3), numbered(1)]);
			expect(ran).to.deep.equal([1, 2, 3]);
			expect(await state(3)).to.equal("done");
			expect(said).to.deep.equal([]);
		});

		it("run once when several processes start at the same time", async () => {
			let runs = 0;
			const slow: Migration = {
				...counting,
				async run(work) {
					runs++;
					await eventually(() => waiting > 0, { what: "another process has asked for the lease" });
					await count(work);
				},
			};
			let waiting = 0;
			const watched = (): Leases => {
				const leases = new StoredLeases(store);
				return {
					async acquire(name) {
						const lease = await leases.acquire(name);
						if (!lease) waiting++;
						return lease;
					},
				};
			};
			await Promise.all([run([slow], watched()), run([slow], watched()), run([slow], watched())]);
			expect(runs).to.equal(1);
			expect(await spent()).to.deep.equal([1, 1, 1, 1, 1]);
		});

		it("go on where they ended, and stop the start with a sentence", async () => {
			let seen: string | undefined;
			const failing: Migration = {
				...counting,
				run: (work) =>
					count({
						...work,
						reached: async (position) => {
							await work.reached(position);
							seen = position;
							throw new Error("the disk is full");
						},
					}),
			};
			expect(String(await failureOf(run([failing])))).to.equal(
				'StartError: Cannot start: migration 1 of "jobs", count, failed: the disk is full. The next start goes on where it ended',
			);
			expect(await state(1)).to.equal("begun");
			expect(await spent()).to.deep.equal([1, 1, 0, 0, 0]);

			let position: string | undefined;
			const watched = async (work: MigrationWork) => {
				({ position } = work);
				await count(work);
			};
			await run([{ ...counting, run: watched }]);
			expect(position).to.equal(seen);
			expect(await spent()).to.deep.equal([1, 1, 1, 1, 1]);
		});

		it("are refused to a process that has lost its lease", async () => {
			const refusals: unknown[] = [];
			let turn = 0;
			const stolen: Migration = {
				...counting,
				async run(work) {
					if (++turn > 1) return count(work);
					// Another process has begun meanwhile.
					await store.update(migrationCollection, "jobs:1", {}, { set: { fence: 99 } });
					refusals.push(await failureOf(work.reached("x")));
					await work.reached("y");
				},
			};
			await run([stolen]);
			expect(refusals).to.have.length(1);
			expect(refusals[0]).to.be.instanceOf(MigrationLost);
			expect(turn).to.equal(2);
			expect((await store.get(migrationCollection, "jobs:1"))?.position).not.to.be.oneOf(["x", "y"]);
		});

		it("let an older release work after an expansion, and refuse it after a contraction has begun", async () => {
			const second = { version: 2, name: "both forms", kind: "expand", run: nothing } as const;
			await run([counting, second]);
			await run([counting]);
			const failing = {
				version: 3,
				name: "no old form",
				kind: "contract",
				run: () => Promise.reject(new Error("x")),
			} as const;
			await failureOf(run([counting, second, failing]));
			const refusal = await failureOf(run([counting]));
			expect(String(refusal)).to.equal(
				'StartError: Cannot use the data of "jobs": a newer release has changed it (migration 3, "no old form"), and this one ' +
					"knows migrations up to 1; start the newer release, or restore a backup of before",
			);
			await run([counting, second, { ...failing, run: nothing }]);
		});
	});
}
