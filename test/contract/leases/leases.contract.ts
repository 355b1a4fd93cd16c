/** The suite that leases must pass on every store of several processes. */
import { expect } from "chai";
import { nextTurn, turnClock } from "#shared/base/clock.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import type { Lease } from "#shared/store/leases/leases.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { eventually } from "../../support/eventually.ts";
import { laxStore } from "../../support/stores/lax-store.ts";
import { replacedStore } from "../../support/stores/replaced-store.ts";
import type { StoreUnderTest } from "../document-store.contract.ts";

const leaseMs = 4_500;
const marginMs = 2_000;
/** The interval of renewals of such a lease. */
const renewMs = 1_000;

/** Both clocks of this process, which a test moves. */
function movedClock() {
	let ahead = 0;
	let stepped = 0;
	const turnBack = turnClock({
		now: () => Date.now() + ahead + stepped,
		monotonic: () => performance.now() + ahead,
	});
	return {
		advance: (ms: number) => (ahead += ms),
		/** Moves the wall clock only. */
		step: (ms: number) => (stepped += ms),
		[Symbol.dispose]: turnBack,
	};
}

/** @param open Opens an empty store with the collection of leases. */
export function describeLeases(engine: string, open: () => Promise<StoreUnderTest>): void {
	describe(`Leases on ${engine}`, () => {
		let subject: StoreUnderTest | undefined;
		let store: DocumentStore;
		const held: Lease[] = [];

		/** Asks for the lease as a newcomer would, and releases it at the end of the test. */
		async function acquire(leases = new StoredLeases(store, leaseMs)): Promise<Lease | undefined> {
			const lease = await leases.acquire("work");
			if (lease) held.push(lease);
			return lease;
		}

		async function mustAcquire(leases?: StoredLeases): Promise<Lease> {
			const lease = await acquire(leases);
			if (!lease) throw new Error("The lease is taken");
			return lease;
		}

		/** Makes many processes ask at once. */
		async function holdersOfMany(on: DocumentStore): Promise<Lease[]> {
			const asked = Array.from({ length: 8 }, () => acquire(new StoredLeases(on, leaseMs)));
			return (await Promise.all(asked)).filter((lease) => lease !== undefined);
		}

		beforeEach(async () => {
			subject = await open();
			({ store } = subject);
		});

		afterEach(async () => {
			for (const lease of held.splice(0)) await lease.release();
			await subject?.discard();
		});

		it("has one holder, however many ask for a new lease or for a free one", async () => {
			const [first, ...others] = await holdersOfMany(store);
			expect(others).to.deep.equal([]);
			expect(first?.isHeld).to.equal(true);
			await first?.release();
			expect(first?.isHeld).to.equal(false);
			expect(await holdersOfMany(store)).to.have.length(1);
		});

		it("has several holders on a store without conditions of writes, which this suite notices", async () => {
			await (await mustAcquire()).release();
			expect(await holdersOfMany(laxStore(store, "guards"))).to.have.length.greaterThan(1);
		});

		it("goes to another process at once when it is released, with a greater fence", async () => {
			const first = await mustAcquire();
			expect(await acquire()).to.equal(undefined);
			await first.release();
			expect((await mustAcquire()).fence).to.be.greaterThan(first.fence);
		});

		it("is not given twice to the same process", async () => {
			const leases = new StoredLeases(store, leaseMs);
			const first = await mustAcquire(leases);
			expect(await acquire(leases)).to.equal(undefined);
			await first.release();
			expect((await mustAcquire(leases)).isHeld).to.equal(true);
		});

		it("is lost before another process can take it, by two seconds", async () => {
			using clock = movedClock();
			const first = await mustAcquire();
			const other = new StoredLeases(store, leaseMs);
			expect(await acquire(other)).to.equal(undefined);
			clock.advance(leaseMs - marginMs);
			expect(first.isHeld, "the holder has stopped before the end").to.equal(false);
			expect(await acquire(other), "nobody has it in the meantime").to.equal(undefined);
			clock.advance(marginMs + 100);
			expect((await mustAcquire(other)).isHeld).to.equal(true);
		});

		it("cannot be renewed or released by a former holder", async () => {
			using clock = movedClock();
			const former = await mustAcquire();
			const other = new StoredLeases(store, leaseMs);
			expect(await acquire(other)).to.equal(undefined);
			clock.advance(leaseMs + 100);
			const present = await mustAcquire(other);
			await former.release();
			expect(present.isHeld).to.equal(true);
			expect(await acquire()).to.equal(undefined);
		});

		for (const hour of [3_600_000, -3_600_000])
			it(`stays with its holder when the wall clocks differ by ${hour / 60_000} minutes, and is taken when it is not renewed`, async () => {
				using clock = movedClock();
				const other = new StoredLeases(store, leaseMs);
				const first = await mustAcquire();
				clock.step(hour);
				expect(await acquire(other)).to.equal(undefined);
				expect(first.isHeld).to.equal(true);
				clock.advance(leaseMs - 3_000);
				expect(await acquire(other)).to.equal(undefined);
				clock.advance(3_100);
				expect((await mustAcquire(other)).fence).to.equal(first.fence + 1);
			});

		it("is not taken from a holder whose renewal comes just before", async () => {
			using clock = movedClock();
			const first = await mustAcquire();
			const { until = 0 } = (await store.get(leaseCollection, "work")) ?? {};
			let renew = async () => {};
			const late = replacedStore(store, {
				async update(...args) {
					await renew();
					return store.update(...args);
				},
			});
			const other = new StoredLeases(late, leaseMs);
			expect(await acquire(other)).to.equal(undefined);
			renew = async () => {
				await store.update(leaseCollection, "work", {}, { set: { until: until + 1 } });
			};
			clock.advance(leaseMs + 100);
			expect(await acquire(other)).to.equal(undefined);
			expect((await store.get(leaseCollection, "work"))?.fence).to.equal(first.fence);
		});

		it("is not shortened by a renewal that is slower than the next one", async () => {
			const answers: (() => void)[] = [];
			let isHeldUp = false;
			const slow = replacedStore(store, {
				async update(...args) {
					const written = await store.update(...args);
					if (isHeldUp) await new Promise<void>((answer) => answers.push(answer));
					return written;
				},
			});
			const lease = await mustAcquire(new StoredLeases(slow, leaseMs));
			isHeldUp = true;
			await eventually(() => answers.length === 2, { what: "two renewals are under way" });
			isHeldUp = false;
			answers[1]?.();
			await nextTurn();
			using clock = movedClock();
			// The time that the first one of the two has gained is over, and that of the second one is not.
			clock.advance(leaseMs - marginMs - renewMs / 2);
			answers[0]?.();
			await nextTurn();
			expect(lease.isHeld).to.equal(true);
			expect(lease.signal.aborted).to.equal(false);
		});

		it("renews itself while the store answers, and tells its holder when another process has it", async () => {
			const lease = await mustAcquire(new StoredLeases(store, marginMs + 1_500));
			const first = (await store.get(leaseCollection, "work"))?.until ?? 0;
			await eventually(async () => ((await store.get(leaseCollection, "work"))?.until ?? 0) > first);
			await store.update(leaseCollection, "work", {}, { set: { holder: "other", fence: lease.fence + 1 } });
			await eventually(() => lease.signal.aborted);
			expect(lease.isHeld).to.equal(false);
		});
	});
}
