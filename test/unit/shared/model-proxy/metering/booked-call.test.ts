import { expect } from "chai";
import { BookedCall } from "#shared/model-proxy/metering/booked-call.ts";
import type { CallBounds, CallUnderWay, MeteredCall } from "#shared/model-proxy/metering/metered-call.ts";

const bounds: CallBounds = { likely: { input: 100, output: 20 }, atMost: { input: 200, output: 50 } };
const usage = { input_tokens: 7, output_tokens: 3 };
const estimate = { input: 100, output: 20, cache_read: 0, cache_write: 0 };
const reported = { input: 7, output: 3, cache_read: 0, cache_write: 0 };

function book(paid: CallBounds | undefined) {
	const begun: CallUnderWay[] = [];
	const over: MeteredCall[] = [];
	const call = new BookedCall({
		call: { id: "c1", wire: "anthropic", model: "m", provider: "p", location: "cloud" },
		bounds: paid,
		contextWindow: 1_000,
		onBegun: async (early) => void begun.push(early),
		onOver: (ended) => void over.push(ended),
		onFailure() {},
	});
	return { call, begun, over };
}

describe("BookedCall", () => {
	it("books an estimate before a call that a budget pays, and nothing before another one", async () => {
		const [paid, free] = [book(bounds), book(undefined)];
		await Promise.all([paid.call.begin(), free.call.begin()]);
		expect(paid.begun).to.have.length(1);
		expect(paid.begun[0]).to.deep.include({ id: "c1", counts: estimate, isEstimated: true });
		expect(free.begun).to.deep.equal([]);
	});

	it("books the usage that a provider reports early", () => {
		const { call, begun } = book(undefined);
		const message = { type: "message_start", message: { usage } };
		call.meter.readEvent(Buffer.from(`data: ${JSON.stringify(message)}\n\n`));
		expect(begun.map(({ counts, isEstimated }) => [counts, isEstimated])).to.deep.equal([[reported, false]]);
	});

	for (const [what, paid, reports, end, isEstimated, counts] of [
		["whole, with its usage", bounds, true, [200, "whole"], false, reported],
		["whole, without its usage", bounds, false, [200, "whole"], true, estimate],
		["broken off", bounds, true, [200, "broken"], true, { ...reported, output: 20 }],
		["left by its caller", bounds, false, [200, "left"], true, estimate],
		["refused by the provider", bounds, false, [500, "whole"], false, undefined],
		["that never reached the provider", bounds, false, [0, "broken", false], false, undefined],
		["broken off, without a budget", undefined, true, [200, "broken"], false, reported],
	] as const) {
		it(`books a call ${what}: ${isEstimated ? "estimated" : "as reported"}, and only once`, () => {
			const { call, over } = book(paid);
			if (reports) call.meter.readWhole(Buffer.from(JSON.stringify({ usage })));
			const [status, how, mayBeReceived = true] = end;
			call.end(status, how, mayBeReceived);
			call.end(200, "whole");
			expect(over).to.have.length(1);
			expect(over[0]).to.deep.include({ status, end: how, isEstimated, counts });
		});
	}
});
