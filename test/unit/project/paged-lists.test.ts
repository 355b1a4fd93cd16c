/** Every list of the API has pages and an entity tag, so that it can grow; a new list without them is found here. */
import { expect } from "chai";
import { type Contract, defineContract } from "#shared/contracts/contract.ts";
import type { Rule } from "#shared/base/schema/schema.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { pageOf, pageParams } from "#shared/contracts/page-fields.ts";

/** Lists that cannot grow, with the reason. */
const bounded: Readonly<Record<string, string>> = {
	"chronicles.chain": "a chain of parents has a bound, and is read as a whole",
	"issues.search": "at most 25 issues of each of 10 trackers, in the order of their systems",
	"tracker.search": "at most 25 issues, in the order of another system",
	"tracker.recent": "at most 100 issues, in the order of another system",
	"session-control.permissions": "the open questions of one agent",
	"session-events.tokens": "a sum for each interval of at most 5,000 events",
};

const maxLimit = 2_000;

/** The names of the lists that lack pages, or a part of them. */
function faults(contracts: readonly Contract[]): string[] {
	return contracts.flatMap(({ actions }) =>
		Object.values(actions).flatMap(({ name, rest, params, returns, paged }) => {
			const isRead = [rest].flat().some((route) => route?.startsWith("GET "));
			if (!isRead || (!paged && returns?.type !== "array")) return [];
			if (!paged) return name in bounded ? [] : [`${name}: no pages`];
			return [...faultsOfParams(params), ...faultsOfResult(returns)].map((fault) => `${name}: ${fault}`);
		}),
	);
}

function faultsOfParams({ limit, cursor }: Readonly<Record<string, Rule>>): string[] {
	return [isLimit(limit) ? [] : "no `limit` with bounds and a default", isCursor(cursor) ? [] : "no `cursor`"].flat();
}

function isLimit(rule: Rule | undefined): boolean {
	return rule?.type === "number" && rule.min === 1 && (rule.max ?? Infinity) <= maxLimit && rule.default !== undefined;
}

function isCursor(rule: Rule | undefined): boolean {
	return rule?.type === "string" && rule.optional === true && rule.max !== undefined;
}

function faultsOfResult(returns: Rule | undefined): string[] {
	const members = returns?.type === "object" ? Object.keys(returns.props) : [];
	return Object.keys(pageOf({ type: "any" }).returns.props).flatMap((one) =>
		members.includes(one) ? [] : `no \`${one}\``,
	);
}

describe("lists", () => {
	it("have pages and an entity tag", () => {
		expect(faults(publicContracts)).to.deep.equal([]);
	});

	it("are more than ten, and the exceptions exist", () => {
		const actions = publicContracts.flatMap((contract) => Object.values(contract.actions));
		expect(actions.filter(({ paged }) => paged)).to.have.length.above(10);
		for (const name of Object.keys(bounded)) {
			const action = actions.find((one) => one.name === name);
			expect(action, name).to.not.equal(undefined);
			expect(action?.paged, name).to.equal(undefined);
		}
	});

	it("are reported otherwise (control)", () => {
		const text = { type: "string" } as const;
		const whole = { rest: "GET /planted", summary: "Planted", paged: true } as const;
		const planted = defineContract("planted", {
			fine: { ...whole, params: pageParams, ...pageOf(text) },
			plain: { rest: "GET /planted/plain", summary: "Planted", params: {}, returns: { type: "array", items: text } },
			unlimited: { ...whole, params: { cursor: pageParams.cursor }, ...pageOf(text) },
			untagged: {
				...whole,
				params: pageParams,
				returns: { type: "object", props: { items: { type: "array", items: text }, next: text } },
			},
		});
		expect(faults([planted])).to.deep.equal([
			"planted.plain: no pages",
			"planted.unlimited: no `limit` with bounds and a default",
			"planted.untagged: no `etag`",
			"planted.untagged: no `unchanged`",
		]);
	});
});
