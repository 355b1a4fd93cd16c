import { expect } from "chai";
import fc from "fast-check";
import { estimatedUsage } from "#shared/model-proxy/metering/estimated-usage.ts";
import { noTokens } from "#shared/wire/models/token-counts.ts";

const bounds = { likely: { input: 1_000, output: 4_000 }, atMost: { input: 4_000, output: 8_000 } };

describe("estimatedUsage()", () => {
	type Row = [what: string, reported: object | undefined, received: number, expected: object];
	const table: Row[] = [
		["what is likely, when nothing came", undefined, 0, { input: 1_000, output: 4_000 }],
		["more output, when more bytes came", undefined, 20_000, { input: 1_000, output: 5_000 }],
		["the bound of its body at most", undefined, 1_000_000, { input: 1_000, output: 8_000 }],
		["the input that was told, and the output that is likely", { input: 7 }, 0, { input: 7, output: 4_000 }],
		["the output that was told, when it is more", { output: 9_000 }, 0, { output: 9_000 }],
		[
			"what the cache had, as it was told",
			{ cache_read: 5, cache_write: 6 },
			0,
			{ output: 4_000, cache_read: 5, cache_write: 6 },
		],
	];
	for (const [what, told, received, expected] of table) {
		it(`is ${what}`, () => {
			const known = told && { ...noTokens, ...told };
			expect(estimatedUsage(bounds, 200_000, { reported: known, received })).to.deep.equal({
				...noTokens,
				...expected,
			});
		});
	}

	it("is bounded by the window of the model where nothing else bounds it", () => {
		const endless = { likely: { input: Infinity, output: 4_000 }, atMost: { input: Infinity, output: Infinity } };
		const used = estimatedUsage(endless, 10_000, { reported: undefined, received: 10_000_000 });
		expect(used).to.deep.equal({ ...noTokens, input: 10_000, output: 10_000 });
	});

	const count = fc.integer({ min: 0, max: 1_000_000 });
	it("is never less than what was reported, and grows with what was received", () => {
		const told = fc.record({ input: count, output: count, cache_read: count, cache_write: count });
		fc.assert(
			fc.property(told, count, count, (known, received, further) => {
				const used = estimatedUsage(bounds, 200_000, { reported: known, received });
				expect({ ...used, output: known.output }).to.deep.equal(known);
				expect(used.output).to.be.at.least(known.output);
				const later = estimatedUsage(bounds, 200_000, { reported: known, received: received + further });
				expect(later.output).to.be.at.least(used.output);
			}),
		);
	});
});
