import { expect } from "chai";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { Backoff, type BackoffRule, backoffMs } from "#shared/base/concurrency/backoff.ts";
import { monotonic } from "#shared/base/clock.ts";

describe("backoffMs()", () => {
	it("doubles from the first wait to the longest, half of each by chance", () => {
		fc.assert(
			fc.property(fc.integer({ min: -1, max: 1_000_000 }), (failures) => {
				const longest = failures > 5 ? 30_000 : Math.min(30_000, 1_000 * 2 ** Math.max(0, failures - 1));
				expect(backoffMs(failures, { firstMs: 1_000, maxMs: 30_000 })).to.be.within(longest / 2, longest);
			}),
		);
	});

	it("leaves as much to chance as its rule says", () => {
		const rule: BackoffRule = { firstMs: 500, maxMs: 30_000, factor: 4, jitter: 0 };
		expect([1, 2, 3, 4].map((failures) => backoffMs(failures, rule))).to.deep.equal([500, 2_000, 8_000, 30_000]);
		const waits = Array.from({ length: 200 }, () => backoffMs(1, { ...rule, jitter: 1 }));
		expect(new Set(waits).size).to.be.above(100);
		for (const wait of waits) expect(wait).to.be.within(0, 500);
		expect(Math.min(...waits)).to.be.below(250);
	});
});

describe("Backoff", () => {
	const rule: BackoffRule = { firstMs: 40, maxMs: 80, jitter: 0 };
	const never = new AbortController().signal;

	async function timed(waiting: Promise<void>): Promise<number> {
		const since = monotonic();
		await waiting;
		return monotonic() - since;
	}

	it("waits longer after each failure, up to a bound", async () => {
		const backoff = new Backoff(rule);
		for (const ms of [40, 80, 80]) {
			// Timers count from the begin of a turn of the event loop, which may be some milliseconds ago on a busy machine.
			await nextTurn();
			expect(await timed(backoff.wait(never))).to.be.at.least(0.6 * ms);
		}
	});

	it("starts over after a success", async () => {
		const backoff = new Backoff({ firstMs: 5, factor: 1_000_000, maxMs: 3_600_000, jitter: 0 });
		await backoff.wait(never);
		backoff.reset();
		await backoff.wait(never);
	});

	it("ends its wait with the signal", async () => {
		const backoff = new Backoff({ firstMs: 3_600_000, maxMs: 3_600_000 });
		const ending = new AbortController();
		const waiting = backoff.wait(ending.signal);
		ending.abort();
		await waiting;
	});
});
