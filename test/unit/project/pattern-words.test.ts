import { expect } from "chai";
import type { Rule, Schema } from "#shared/base/schema/schema.ts";
import { publicContracts } from "#shared/contracts/all.ts";

/** Returns the paths of the strings with a pattern whose words are missing, or could not be put into code. */
function wordless(fields: Schema, at: string): { found: number; faults: string[] } {
	const all = Object.entries(fields).map(([name, rule]) => wordlessRule(rule, `${at}.${name}`));
	return { found: all.reduce((sum, { found }) => sum + found, 0), faults: all.flatMap(({ faults }) => faults) };
}

function wordlessRule(rule: Rule, at: string): { found: number; faults: string[] } {
	if (rule.type === "object") return wordless(rule.props, at);
	if (rule.type === "array") return wordlessRule(rule.items, at);
	if (rule.type === "record") return wordlessRule(rule.value, at);
	if (rule.type === "multi") return wordless(Object.fromEntries(rule.rules.entries()), at);
	if (rule.type !== "string" || rule.pattern === undefined) return { found: 0, faults: [] };
	const hasWords = /^[a-z][^"\\\n{}]+[^.]$/.test(rule.words ?? "");
	return { found: 1, faults: hasWords ? [] : [at] };
}

describe("each pattern of a contract", () => {
	it("has words for people, which the refusal of a value says", () => {
		const all = publicContracts.flatMap(({ actions }) =>
			Object.values(actions).map(({ name, params }) => wordless(params, name)),
		);
		expect(all.flatMap(({ faults }) => faults)).to.deep.equal([]);
		expect(all.reduce((sum, { found }) => sum + found, 0)).to.be.above(20);
	});
});
