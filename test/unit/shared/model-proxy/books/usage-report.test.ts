import { expect } from "chai";
import fc from "fast-check";
import { addUse, isReportedWith, reportOf, type Use } from "#shared/model-proxy/books/usage-report.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { maxReportedTokens, usage } from "#shared/contracts/sessions/usage.ts";
import { addTokens, noTokens, totalTokens } from "#shared/wire/models/token-counts.ts";

const kinds: fc.Arbitrary<Omit<Use, "counts">> = fc.constantFrom(
	{ launch: 1, model: "m", location: "cloud" },
	{ launch: 2, model: "m", location: "cloud" },
	{ launch: 1, model: "n", location: "cloud" },
	{ launch: 1, model: "m", location: "local" },
	{ launch: 1, model: "m", location: "cloud", reservation_id: "r" },
	{ launch: 1, model: "m", location: "cloud", isEstimated: true },
);

function uses(most: number): fc.Arbitrary<Use[]> {
	const count = fc.integer({ min: 0, max: most });
	const counts = fc.record({ input: count, output: count, cache_read: count, cache_write: count });
	return fc.array(
		fc.tuple(kinds, counts).map(([kind, one]) => ({ ...kind, counts: one })),
		{ maxLength: 30 },
	);
}

const sumOf = (all: readonly Use[]) => all.reduce((sum, { counts }) => addTokens(sum, counts), noTokens);

describe("addUse()", () => {
	it("loses no token, and combines uses of a kind that fit a report", () => {
		fc.assert(
			fc.property(uses(1_000), (all) => {
				const added = all.reduce<Use[]>(addUse, []);
				expect(sumOf(added)).to.deep.equal(sumOf(all));
				const names = added.map(({ counts: _counts, ...kind }) => JSON.stringify(kind));
				expect(new Set(names).size).to.equal(names.length);
			}),
		);
	});

	it("never puts more into one report than the contract allows", () => {
		fc.assert(
			fc.property(uses(Math.floor(maxReportedTokens / 4)), (all) => {
				const added = all.reduce<Use[]>(addUse, []);
				expect(sumOf(added)).to.deep.equal(sumOf(all));
				for (const { counts } of added) expect(totalTokens(counts)).to.be.at.most(maxReportedTokens);
			}),
		);
	});
});

describe("reportOf()", () => {
	const check = compileSchema(usage.actions.report.params);
	const session_id = "6f1c0d52-0000-4000-8000-000000000001";
	const id = "6f1c0d52-0000-4000-8000-000000000002";

	it("is a valid report whose buckets are the total, and includes only its own use", () => {
		fc.assert(
			fc.property(uses(1_000), fc.nat(5), (all, messages) => {
				for (const use of all) {
					const report = reportOf(use, id, messages);
					expect(check({ session_id, ...report })).to.deep.equal([]);
					const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, tokens } = report;
					expect(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens).to.equal(tokens);
					const { counts: _counts, ...kind } = use;
					for (const { counts: _other, ...other } of all)
						expect(isReportedWith({ ...other, counts: noTokens }, report)).to.equal(
							JSON.stringify(other) === JSON.stringify(kind),
						);
				}
			}),
		);
	});

	it("says whether its tokens were metered or estimated", () => {
		const use: Use = { launch: 1, model: "m", location: "cloud", counts: noTokens };
		expect(reportOf(use, id, 0).source).to.equal("metered");
		expect(reportOf({ ...use, isEstimated: true }, id, 0).source).to.equal("estimated");
	});
});
