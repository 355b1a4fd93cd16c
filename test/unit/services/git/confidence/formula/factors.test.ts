import { expect } from "chai";
import fc from "fast-check";
import {
	capsOf,
	changeFactors,
	type ChangeFacts,
	failed,
	verdictOf,
	weights,
} from "#services/git/confidence/formula/factors.ts";

const thresholds = { auto_merge_threshold: 0.9, notify_merge_threshold: 0.6 };
const ranks = ["require_approval", "notify_then_merge", "auto_merge"];
const least: ChangeFacts = {
	coverage_delta: 0,
	lines_changed: 1,
	files_changed: 1,
	has_dependency_changes: false,
	change_categories: [],
};

function scoreOf(facts: Partial<ChangeFacts>): number {
	return verdictOf([{ name: "tests", tenths: 10 }, ...changeFactors({ ...least, ...facts })], [], thresholds).score;
}

describe("the formula of merge confidence", () => {
	it("gives the scores of the contract", () => {
		expect(scoreOf({})).to.equal(0.955);
		expect(scoreOf({ change_categories: ["docs"] })).to.equal(1);
		expect(scoreOf({ lines_changed: 301 })).to.equal(0.795);
		expect(scoreOf({ change_categories: ["auth"] })).to.equal(0.895);
	});

	it("has the steps of the contract", () => {
		const valueOf = (name: string, facts: Partial<ChangeFacts>) =>
			(changeFactors({ ...least, ...facts }).find((factor) => factor.name === name)?.tenths ?? -1) / 10;
		const steps: [string, Partial<ChangeFacts>, number][] = [
			["coverage", { coverage_delta: 0 }, 1],
			["coverage", { coverage_delta: -0.1 }, 0.7],
			["coverage", { coverage_delta: -2 }, 0.7],
			["coverage", { coverage_delta: -2.1 }, 0.3],
			["size", { lines_changed: 50 }, 1],
			["size", { lines_changed: 51 }, 0.8],
			["size", { lines_changed: 101 }, 0.5],
			["size", { lines_changed: 300 }, 0.5],
			["size", { lines_changed: 301 }, 0.2],
			["category", { change_categories: [] }, 0.7],
			["category", { change_categories: ["test", "docs", "lint", "style", "ci"] }, 1],
			["category", { change_categories: ["docs", "feature"] }, 0.7],
			["category", { change_categories: ["docs", "migration"] }, 0.3],
			["dependencies", { has_dependency_changes: true }, 0.3],
			["files", { files_changed: 3 }, 1],
			["files", { files_changed: 4 }, 0.7],
			["files", { files_changed: 11 }, 0.4],
		];
		for (const [name, facts, value] of steps) expect(valueOf(name, facts), JSON.stringify(facts)).to.equal(value);
	});

	it("divides the weight of the tests among the evidence, so that both kinds of scores compare", () => {
		expect(weights.ci + weights.review + weights.mergeable).to.equal(weights.tests);
		const { tests: _tests, ...others } = weights;
		expect(Object.values(others).reduce((sum, weight) => sum + weight, 0)).to.equal(100);
	});

	it("stays within 0 and 1, and is monotone in each factor, in score and action", () => {
		const names = ["ci", "review", "mergeable", "coverage", "size", "category", "dependencies", "files"] as const;
		const tenths = fc.array(fc.integer({ min: 0, max: 10 }), { minLength: names.length, maxLength: names.length });
		fc.assert(
			fc.property(tenths, fc.nat(names.length - 1), fc.integer({ min: 0, max: 10 }), (values, which, other) => {
				const verdict = (own: readonly number[]) =>
					verdictOf(
						names.map((name, place) => ({ name, tenths: own[place] ?? 0 })),
						[],
						thresholds,
					);
				const low = verdict(values.with(which, Math.min(other, values[which] ?? 0)));
				const high = verdict(values.with(which, Math.max(other, values[which] ?? 0)));
				expect(low.score).to.be.within(0, high.score);
				expect(high.score).to.be.at.most(1);
				expect(ranks.indexOf(low.action)).to.be.at.most(ranks.indexOf(high.action));
			}),
		);
	});

	it("begins each recommendation at its threshold exactly", () => {
		const actionAt = (auto_merge_threshold: number, notify_merge_threshold: number) =>
			verdictOf([{ name: "tests", tenths: 10 }, ...changeFactors(least)], [], {
				auto_merge_threshold,
				notify_merge_threshold,
			}).action;
		expect(actionAt(0.955, 0.6)).to.equal("auto_merge");
		expect(actionAt(0.956, 0.955)).to.equal("notify_then_merge");
		expect(actionAt(1, 0.956)).to.equal("require_approval");
	});

	it("is capped by what the caller knows of CI and review, with the reason", () => {
		const actionFor = (status: Parameters<typeof capsOf>[0]) => {
			const factors = [{ name: "tests", tenths: 10 } as const, ...changeFactors(least)];
			return verdictOf(factors, capsOf(status), thresholds);
		};
		expect(actionFor({}).action).to.equal("auto_merge");
		expect(actionFor({ ci_status: "passing", review_status: "approved" }).action).to.equal("auto_merge");
		for (const status of [{ ci_status: "pending" }, { ci_status: "unknown" }, { review_status: "pending" }] as const)
			expect(actionFor(status).action, JSON.stringify(status)).to.equal("notify_then_merge");
		const refused = actionFor({ ci_status: "pending", review_status: "changes_requested" });
		expect(refused).to.deep.include({ action: "require_approval", score: 0.955 });
		expect(refused.reason).to.match(/^The score 0\.955 .*, but the CI is pending, and a reviewer requested changes$/);
	});

	it("is 0 when tests fail", () => {
		expect(failed("The tests")).to.deep.equal({
			score: 0,
			factors: { tests: 0 },
			action: "require_approval",
			reason: "The tests fail",
		});
	});
});
