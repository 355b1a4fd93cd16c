import { expect } from "chai";
import { monotonic } from "#shared/base/clock.ts";
import { TimeLimits } from "#shared/base/concurrency/time-limits.ts";
import { eventually } from "../../../../support/eventually.ts";

describe("TimeLimits", () => {
	let limits: TimeLimits;
	let reached: string[];

	beforeEach(() => {
		limits = new TimeLimits();
		reached = [];
	});

	for (const ms of [40, 40.5]) {
		it(`are reached once each, in order and not too early, of ${ms} ms`, async () => {
			const early: string[] = [];
			const begin = (name: string) => {
				const end = monotonic() + ms;
				limits.begin(ms, () => {
					reached.push(name);
					if (monotonic() < end) early.push(name);
				});
			};
			begin("first");
			limits.begin(15, () => begin("second"));
			await eventually(() => reached.length === 2, { everyMs: 7 });
			begin("third");
			await eventually(() => reached.length === 3, { everyMs: 7 });
			expect([reached, early]).to.deep.equal([["first", "second", "third"], []]);
		});
	}

	it("are not reached when cancelled, and the one behind them still is", async () => {
		const cancelled = limits.begin(30, () => reached.push("cancelled"));
		limits.begin(30, () => reached.push("kept"));
		cancelled.cancel();
		await eventually(() => reached.length > 0);
		expect(reached).to.deep.equal(["kept"]);
		cancelled.cancel();
	});

	it("of another length are reached in their own time", async () => {
		limits.begin(60_000, () => reached.push("far"));
		limits.begin(20, () => reached.push("near"));
		await eventually(() => reached.length > 0);
		expect(reached).to.deep.equal(["near"]);
	});

	it("may begin others and cancel those behind them when they are reached", async () => {
		limits.begin(20, () => {
			reached.push("first");
			behind.cancel();
			limits.begin(20, () => reached.push("begun"));
		});
		const behind = limits.begin(20, () => reached.push("behind"));
		await eventually(() => reached.length === 2);
		expect(reached).to.deep.equal(["first", "begun"]);
	});
});
