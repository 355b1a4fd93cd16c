/** Limits of running sessions over real stores: how many may be launched, also at the same moment. */
import { expect } from "chai";
import { collections } from "#services/sessions/compose.ts";
import { type Launcher, RunningLimits } from "#services/sessions/record/running-limits.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { ConflictError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`limits of running sessions on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let count = 0;

		beforeEach(async () => {
			opened = await open();
			store = opened.store;
		});
		afterEach(() => opened.discard());

		async function insert({ tenant, owner = "nobody" }: Launcher, status: string): Promise<void> {
			const created_at = new Date(1_700_000_000_000 + ++count).toISOString();
			await store.insert(sessionCollection, { id: `s${count}`, wire: "{}", tenant, owner, status, created_at, rev: 1 });
		}

		/** Returns how many of so many launches at the same moment were let through. */
		async function launched(limits: RunningLimits, launcher: Launcher, asked: number): Promise<number> {
			const launches = Array.from({ length: asked }, () => limits.launch(launcher, () => insert(launcher, "starting")));
			const outcomes = await Promise.allSettled(launches);
			for (const outcome of outcomes)
				if (outcome.status === "rejected") expect(outcome.reason).to.be.instanceOf(ConflictError);
			return outcomes.filter(({ status }) => status === "fulfilled").length;
		}

		it("hold for a person and for a tenant, for launches at the same moment", async () => {
			const limits = new RunningLimits(store, { runningPerUser: 3, runningPerTenant: 5 });
			expect(await launched(limits, { tenant: "acme", owner: "alice" }, 8)).to.equal(3);
			expect(await launched(limits, { tenant: "acme", owner: "bob" }, 8), "what the tenant has left").to.equal(2);
			expect(await launched(limits, { tenant: "acme" }, 8), "a session without an owner").to.equal(0);
			expect(await launched(limits, { tenant: "other", owner: "alice" }, 8), "another tenant").to.equal(3);
		});

		it("count what runs or is about to, and nothing else", async () => {
			const alice = { tenant: "acme", owner: "alice" };
			const limits = new RunningLimits(store, { runningPerUser: 4, runningPerTenant: Infinity });
			for (const status of ["created", "stopping", "stopped", "failed", "archived", "deleted"])
				await insert(alice, status);
			for (const status of ["provisioning", "running"]) await insert(alice, status);
			expect(await launched(limits, alice, 8)).to.equal(2);
		});

		it("give nothing away when a launch fails", async () => {
			const alice = { tenant: "acme", owner: "alice" };
			const limits = new RunningLimits(store, { runningPerUser: 1, runningPerTenant: 1 });
			const failing = limits.launch(alice, () => Promise.reject(new Error("no")));
			expect(String(await failing.catch((error: unknown) => error))).to.include("no");
			expect(await launched(limits, alice, 2)).to.equal(1);
		});
	});
}
