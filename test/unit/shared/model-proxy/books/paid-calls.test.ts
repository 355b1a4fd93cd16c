import { expect } from "chai";
import fc from "fast-check";
import { likely, most, newReservation, usedUnder } from "#shared/model-proxy/books/paid-calls.ts";
import type { AskingCall, CallBounds } from "#shared/model-proxy/metering/metered-call.ts";
import { noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";

const tokens = fc.integer({ min: 0, max: 1_000_000 });
const size = fc.record({
	input: fc.oneof(tokens, fc.constant(Infinity)),
	output: fc.oneof(tokens, fc.constant(Infinity)),
});

function call(bounds: CallBounds | undefined): AskingCall {
	return { id: "c", wire: "anthropic", model: "m", bounds };
}

describe("likely() and most()", () => {
	const bounds = { likely: { input: 100, output: 4_000 }, atMost: { input: 400, output: 8_000 } };

	it("plan the likely use, with at least that of the last call, or the largest use", () => {
		expect(likely(call(bounds))).to.deep.equal({ model: "m", input_tokens: 100, output_tokens: 4_000 });
		expect(likely(call(bounds), 50)).to.deep.equal({ model: "m", input_tokens: 100, output_tokens: 4_000 });
		expect(likely(call(bounds), 900)).to.deep.equal({ model: "m", input_tokens: 900, output_tokens: 4_000 });
		expect(most(call(bounds))).to.deep.equal({ model: "m", input_tokens: 400, output_tokens: 8_000 });
	});

	it("leave out unbounded values, and everything of a call without bounds", () => {
		const endless = { likely: { input: Infinity, output: 1 }, atMost: { input: 1, output: Infinity } };
		expect(likely(call(endless))).to.deep.equal({ model: "m", output_tokens: 1 });
		expect(most(call(endless))).to.deep.equal({ model: "m", input_tokens: 1 });
		expect([likely(call(undefined), 9), most(call(undefined))]).to.deep.equal([{ model: "m" }, { model: "m" }]);
	});

	it("never plan less after a larger read", () => {
		fc.assert(
			fc.property(size, tokens, tokens, (one, context, further) => {
				const planned = (read: number) => likely(call({ likely: one, atMost: one }), read).input_tokens ?? Infinity;
				expect(planned(context + further)).to.be.at.least(planned(context));
				expect(planned(context)).to.be.at.least(context);
			}),
		);
	});
});

describe("usedUnder()", () => {
	it("reports the four buckets of every model", () => {
		const counts: TokenCounts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
		const told = usedUnder(
			new Map([
				["m", counts],
				["n", noTokens],
			]),
		);
		expect(told).to.deep.equal([
			{ model: "m", input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 },
			{ model: "n", input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
		]);
	});
});

describe("newReservation()", () => {
	it("has an id of its own and is empty", () => {
		const [one, other] = [newReservation(), newReservation()];
		expect(one.id).not.to.equal(other.id);
		expect([one.used.size, one.underWay.size, one.isRefused]).to.deep.equal([0, 0, false]);
		one.used.set("m", noTokens);
		expect(other.used.size).to.equal(0);
	});
});
