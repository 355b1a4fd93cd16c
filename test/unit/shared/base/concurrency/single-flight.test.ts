import { expect } from "chai";
import fc from "fast-check";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { failureOf } from "../../../../support/failure-of.ts";

/** Work that ends when the test says so. */
class HeldWork {
	begun = 0;
	underWay = 0;
	most = 0;
	#ends: PromiseWithResolvers<number>[] = [];

	readonly work = (): Promise<number> => {
		const number = ++this.begun;
		this.most = Math.max(this.most, ++this.underWay);
		const end = Promise.withResolvers<number>();
		this.#ends.push(end);
		return end.promise.then(() => number).finally(() => this.underWay--);
	};

	/** Ends the run under way. */
	end(failure?: Error): void {
		const end = this.#ends.shift() ?? expect.fail("No run is under way");
		if (failure) end.reject(failure);
		else end.resolve(0);
	}
}

describe("SingleFlight", () => {
	let held: HeldWork;
	let errors: unknown[];
	let flight: SingleFlight<number>;

	beforeEach(() => {
		held = new HeldWork();
		errors = [];
		flight = new SingleFlight(held.work, (error) => errors.push(error));
	});

	it("begins at once when no run is under way, and again for later calls", async () => {
		const first = flight.run();
		expect([held.begun, flight.isRunning]).to.deep.equal([1, true]);
		held.end();
		expect(await first).to.equal(1);
		expect(flight.isRunning, "for who has waited for it").to.equal(false);
		const second = flight.join();
		held.end();
		expect(await second, "not the outcome of the run that is over").to.equal(2);
	});

	it("runs once more after the current run, for all calls that came meanwhile", async () => {
		const first = flight.run();
		const others = [flight.run(), flight.run()];
		flight.request();
		expect(held.begun).to.equal(1);
		held.end();
		expect(await first).to.equal(1);
		expect([held.begun, held.most]).to.deep.equal([2, 1]);
		held.end();
		expect(await Promise.all(others)).to.deep.equal([2, 2]);
		await flight.settled();
		expect(held.begun).to.equal(2);
	});

	it("returns the current run to a caller that joins it, without a further run", async () => {
		const all = [flight.join(), flight.join(), flight.join()];
		held.end();
		expect(await Promise.all(all)).to.deep.equal([1, 1, 1]);
		await flight.settled();
		expect(held.begun).to.equal(1);
	});

	it("reports a failure to the callers of that run and once to its owner, and runs again for later callers", async () => {
		const first = flight.run();
		const second = flight.run();
		flight.request();
		held.end(new Error("no"));
		expect(await failureOf<Error>(first)).to.have.property("message", "no");
		held.end();
		expect(await second).to.equal(2);
		expect(errors.map(String)).to.deep.equal(["Error: no"]);
		const third = flight.run();
		flight.request();
		held.end(new Error("no"));
		await failureOf(third);
		held.end(new Error("nor again"));
		await flight.settled();
		expect(errors.map(String)).to.deep.equal(["Error: no", "Error: no", "Error: nor again"]);
	});

	it("treats work that fails synchronously like any other", async () => {
		const failing = new SingleFlight((): Promise<void> => {
			throw new TypeError("at once");
		});
		expect(await failureOf(failing.run())).to.be.instanceOf(TypeError);
		failing.request();
		await failing.settled();
		expect(failing.isRunning).to.equal(false);
	});

	it("lets the work ask for a further run of itself", async () => {
		let remaining = 3;
		let runs = 0;
		const counting: SingleFlight = new SingleFlight(async () => {
			runs++;
			if (--remaining > 0) counting.request();
		});
		counting.request();
		await counting.settled();
		expect(runs).to.equal(3);
	});

	it("is settled at once without a run, and otherwise when no run is due", async () => {
		await flight.settled();
		flight.request();
		flight.request();
		let isSettled = false;
		const settling = flight.settled().then(() => (isSettled = true));
		held.end();
		await new Promise(setImmediate);
		expect([held.begun, isSettled]).to.deep.equal([2, false]);
		held.end();
		await settling;
	});

	it("never runs twice at a time and skips no call, in any order of events", async () => {
		await fc.assert(
			fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 12 }), async (s, asked) => {
				let [waiting, done, underWay, most] = [0, 0, 0, 0];
				const emptying = new SingleFlight(async () => {
					most = Math.max(most, ++underWay);
					const taken = waiting;
					await s.schedule(Promise.resolve());
					waiting -= taken;
					done += taken;
					underWay--;
				});
				const asking = Array.from({ length: asked }, () =>
					s.schedule(Promise.resolve()).then(() => {
						waiting++;
						return emptying.run();
					}),
				);
				await s.waitFor(Promise.all(asking));
				expect([waiting, done, most]).to.deep.equal([0, asked, 1]);
			}),
		);
	});
});
