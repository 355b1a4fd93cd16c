/** Every member of a request has a bound in bytes, in every service. */
import { expect } from "chai";
import { type Contract, defineContract } from "#shared/contracts/contract.ts";
import type { Rule } from "#shared/base/schema/schema.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { eventLog } from "#shared/contracts/event-log.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";

/** A UTF-16 unit as JSON: `\u0001`. */
const unitBytes = 6;
/** Members that are short by their nature. */
const bounded = new Set<Rule["type"]>(["number", "boolean", "uuid", "enum"]);

/** The most bytes a value of this rule may have as JSON; infinite without a bound. */
function mostBytes(rule: Rule): number {
	const bound = "max_bytes" in rule ? (rule.max_bytes ?? Infinity) : Infinity;
	if (bounded.has(rule.type)) return 64;
	if (rule.type === "string") return (rule.max ?? Infinity) * unitBytes + 2;
	if (rule.type === "array") return Math.min(bound, (rule.max ?? Infinity) * (mostBytes(rule.items) + 1) + 2);
	if (rule.type === "multi") return Math.max(...rule.rules.map(mostBytes));
	if (rule.type !== "object") return bound;
	return Object.entries(rule.props).reduce((sum, [name, member]) => sum + name.length + 4 + mostBytes(member), 2);
}

/** The names `<action>.<member>` of all parameters without a bound. */
function unbounded(contracts: readonly Contract[]): string[] {
	return contracts.flatMap(({ actions }) =>
		Object.values(actions).flatMap(({ name, params }) =>
			Object.entries(params)
				.filter(([, rule]) => mostBytes(rule) === Infinity)
				.map(([member]) => `${name}.${member}`),
		),
	);
}

function hasUnboundedNumber(rule: Rule): boolean {
	if (rule.type === "number") return !rule.integer && rule.max === undefined;
	if (rule.type === "array") return hasUnboundedNumber(rule.items);
	if (rule.type === "record") return hasUnboundedNumber(rule.value);
	if (rule.type === "multi") return rule.rules.some(hasUnboundedNumber);
	return rule.type === "object" && Object.values(rule.props).some(hasUnboundedNumber);
}

/** The names `<action>.<member>` of all parameters with a number that may be as large as 1e308. */
function unboundedNumbers(contracts: readonly Contract[]): string[] {
	return contracts.flatMap(({ actions }) =>
		Object.values(actions).flatMap(({ name, params }) =>
			Object.entries(params)
				.filter(([, rule]) => hasUnboundedNumber(rule))
				.map(([member]) => `${name}.${member}`),
		),
	);
}

describe("contracts", () => {
	it("bound every member of a request in bytes (C1)", () => {
		expect(unbounded([...publicContracts, eventLog, sessionWork])).to.deep.equal([]);
	});

	it("bound every number of a request that is no integer; integers are safe ones (X11)", () => {
		expect(unboundedNumbers([...publicContracts, eventLog, sessionWork])).to.deep.equal([]);
		const amount = { type: "number" } as const;
		const planted = defineContract("planted", {
			act: {
				summary: "Planted",
				params: { amount, deep: { type: "array", items: { type: "object", props: { amount } } } },
			},
		});
		expect(unboundedNumbers([planted])).to.deep.equal(["planted.act.amount", "planted.act.deep"]);
	});

	it("are reported otherwise, at any depth (control)", () => {
		const text = { type: "string" } as const;
		const planted = defineContract("planted", {
			act: {
				summary: "Planted",
				params: {
					text,
					fine: { type: "record", key: text, value: { type: "any" }, max_bytes: 10 },
					free: { type: "record", key: text, value: { type: "any" } },
					list: { type: "array", items: { type: "string", max: 5 } },
					deep: { type: "object", props: { any: { type: "any" } } },
					either: { type: "multi", rules: [{ type: "string", max: 5 }, text] },
					items: { type: "array", max: 3, items: text },
				},
			},
		});
		const members = ["text", "free", "list", "deep", "either", "items"];
		expect(unbounded([planted])).to.deep.equal(members.map((member) => `planted.act.${member}`));
	});
});
