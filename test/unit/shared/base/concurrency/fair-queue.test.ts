import { expect } from "chai";
import { nextTurn, now, turnClock } from "#shared/base/clock.ts";
import { TimeoutError, TooManyRequestsError } from "#shared/base/errors.ts";
import { FairQueue, type QueueBounds, type WaitTerms } from "#shared/base/concurrency/fair-queue.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { alice, bob, carol } from "../../../../support/bus/test-brokers.ts";
import type { Principal } from "#shared/base/principal.ts";

const limits: QueueBounds = { atOnce: 4, share: 3, waiting: 20, waitingOfOne: 10 };

/** Work that is under way until the test ends it. */
class Testbed {
	readonly turns: FairQueue;
	/** The names whose work has begun, in this order. */
	readonly begun: string[] = [];
	readonly #ends: (() => void)[] = [];
	readonly #all: Promise<unknown>[] = [];

	constructor(more: Partial<QueueBounds> = {}) {
		this.turns = new FairQueue({ ...limits, ...more });
	}

	wants({ id }: Principal, times: number, terms?: WaitTerms): Promise<unknown> {
		const work = () =>
			new Promise<void>((resolve) => {
				this.begun.push(id);
				this.#ends.push(resolve);
			});
		const each = Array.from({ length: times }, () => this.turns.run(id, work, terms));
		this.#all.push(Promise.allSettled(each));
		return Promise.all(each);
	}

	/** Ends the oldest work that is under way; returns false, because there may be more. */
	async endOne(): Promise<boolean> {
		this.#ends.shift()?.();
		await nextTurn();
		return false;
	}

	async endAll(): Promise<void> {
		const over = Promise.all(this.#all).then(() => true);
		while (!(await Promise.race([over, this.endOne()])));
	}
}

describe("FairQueue", () => {
	it("gives nobody more than a share of the free places", async () => {
		const testbed = new Testbed();
		void testbed.wants(alice, 6);
		expect(testbed.begun).to.have.length(3);
		void testbed.wants(bob, 2);
		expect(testbed.begun).to.deep.equal(["alice", "alice", "alice", "bob"]);
		await testbed.endAll();
		expect(testbed.begun).to.have.length(8);
	});

	it("serves waiting people in turn, however much one of them waits for", async () => {
		const testbed = new Testbed({ atOnce: 1, share: 1 });
		void testbed.wants(alice, 5);
		void testbed.wants(bob, 2);
		void testbed.wants(carol, 1);
		await testbed.endAll();
		expect(testbed.begun).to.deep.equal(["alice", "alice", "bob", "carol", "alice", "bob", "alice", "alice"]);
	});

	it("gives everybody some places, even if others have taken all shared ones", async () => {
		const testbed = new Testbed({ own: 2, most: 6 });
		void testbed.wants(alice, 5);
		void testbed.wants(bob, 5);
		void testbed.wants(carol, 5);
		const counts = Map.groupBy(testbed.begun, (who) => who);
		expect([...counts.values()].map(({ length }) => length)).to.deep.equal([3, 2, 1]);
		await testbed.endAll();
		expect(testbed.begun).to.have.length(15);
	});

	it("refuses a person with too much waiting work, and nobody else", async () => {
		const testbed = new Testbed({ atOnce: 1, share: 1 });
		const hers = failureOf(testbed.wants(alice, 12));
		expect(await hers)
			.to.be.instanceOf(TooManyRequestsError)
			.and.to.include({ type: "BUSY" });
		const his = testbed.wants(bob, 1);
		await testbed.endAll();
		await his;
		expect(testbed.begun.filter((who) => who === "alice")).to.have.length(11);
	});

	it("goes on after work that fails", async () => {
		const { turns } = new Testbed({ atOnce: 1, share: 1 });
		const fails = failureOf(turns.run("alice", () => Promise.reject(new Error("no"))));
		expect(await turns.run("bob", async () => "yes")).to.equal("yes");
		expect(await fails).to.have.property("message", "no");
	});

	it("lets jobs go first, and never refuses them", async () => {
		const testbed = new Testbed({ atOnce: 1, waitingOfOne: 1, patienceMs: 1 });
		void testbed.wants(alice, 1);
		const hers = failureOf(testbed.wants(alice, 1));
		const jobs = testbed.wants(alice, 3, { isJob: true });
		expect(await hers, "has waited for too long").to.be.instanceOf(TimeoutError);
		const queued = testbed.wants(alice, 1, { isJob: true });
		await testbed.endAll();
		await Promise.all([jobs, queued]);
		expect(testbed.begun).to.have.length(5);
		expect(testbed.turns).to.include({ waiting: 0, isIdle: true });
	});

	it("does not begin work whose caller has gone, and begins the next one instead", async () => {
		const testbed = new Testbed({ atOnce: 1 });
		void testbed.wants(alice, 1);
		const gone = failureOf(testbed.wants(bob, 1, { deadline: now() - 1 }));
		const at = now();
		const turnBack = turnClock({ now: () => at + 10_000, monotonic: () => performance.now() });
		void testbed.wants(carol, 1);
		await testbed.endAll();
		turnBack();
		expect(await gone).to.be.instanceOf(TimeoutError);
		expect(testbed.begun).to.deep.equal(["alice", "carol"]);
		expect(testbed.turns.isFree("bob")).to.equal(true);
	});
});
