import { expect } from "chai";
import { every } from "#shared/base/clock.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { eventually } from "../../../../support/eventually.ts";

describe("RecurringJob", () => {
	let job: RecurringJob | undefined;
	let begun: number;
	let underWay: number;
	let most: number;
	let finish: PromiseWithResolvers<void>;
	let errors: unknown[];

	beforeEach(() => {
		[begun, underWay, most] = [0, 0, 0];
		finish = Promise.withResolvers<void>();
		errors = [];
	});

	afterEach(async () => {
		finish.resolve();
		await job?.stop();
	});

	async function work() {
		begun++;
		most = Math.max(most, ++underWay);
		await finish.promise.finally(() => underWay--);
	}

	function started(everyMs: number, what: () => Promise<unknown> = work): RecurringJob {
		job = new RecurringJob({ everyMs, work: what, onError: (error) => errors.push(error) });
		job.start();
		return job;
	}

	/** Resolves when another timer of this period has come many times. */
	async function ticks(everyMs: number) {
		let count = 0;
		const timer = every(everyMs, () => count++);
		await eventually(() => count >= 20).finally(() => timer.cancel());
	}

	it("begins repeatedly", async () => {
		finish.resolve();
		started(2);
		await eventually(() => begun >= 3);
	});

	it("never does its work twice at a time, and goes on when the slow one is over", async () => {
		const slow = started(2);
		await ticks(2);
		slow.runNow();
		expect(begun).to.equal(1);
		finish.resolve();
		await eventually(() => begun >= 3);
		expect(most).to.equal(1);
	});

	it("reports each failure and goes on, also after work that fails synchronously", async () => {
		started(2, () => {
			begun++;
			if (begun === 1) throw new Error("at once");
			return Promise.reject(new Error("later"));
		});
		await eventually(() => errors.length >= 3);
		expect(errors.slice(0, 3).map(String)).to.deep.equal(["Error: at once", "Error: later", "Error: later"]);
	});

	it("can be run before its time", () => {
		started(3_600_000).runNow();
		expect(begun).to.equal(1);
	});

	it("stops when the current run has ended, and begins no other", async () => {
		const slow = started(2);
		await eventually(() => begun === 1);
		let isStopped = false;
		const stopping = slow.stop().then(() => (isStopped = true));
		await new Promise(setImmediate);
		expect(isStopped).to.equal(false);
		finish.resolve();
		await stopping;
		await ticks(2);
		expect([begun, underWay]).to.deep.equal([1, 0]);
	});
});
