import { expect } from "chai";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assessPull } from "#services/git/confidence/evidence/pull-assessment.ts";
import { PathCategories } from "#services/git/confidence/formula/path-categories.ts";
import type { PullEvidence, PullRequest } from "#services/git/providers/git-provider.ts";
import type { ConfidenceHints } from "#shared/contracts/git/confidence.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const head = "a".repeat(40);
const older = "b".repeat(40);
const at = "2026-11-20T10:00:00Z";
const later = "2026-11-20T11:00:00Z";
const rules = {
	paths: new PathCategories({ categories: {}, dependency_files: [] }),
	thresholds: { auto_merge_threshold: 0.9, notify_merge_threshold: 0.6 },
};
const noHints: ConfidenceHints = { coverage_delta: 0, has_dependency_changes: false, change_categories: [] };
const ranks = ["require_approval", "notify_then_merge", "auto_merge"];

const pull = {
	number: 7,
	url: "https://git.example/org/shop/pull/7",
	draft: false,
	author: "alice",
} as PullRequest;

const green = { name: "build", state: "passing", url: "https://ci.example/1", at } as const;
const approval = { author: "bob", state: "approved", url: "https://git.example/r/1", at, commit: head } as const;
const file = { path: "src/cart.ts", additions: 10, deletions: 2 };

function evidence(changed: Partial<PullEvidence> = {}): PullEvidence {
	return {
		head_sha: head,
		target_branch: "main",
		author: "alice",
		mergeable: true,
		checks: [green],
		reviews: [approval],
		files: [file],
		more: false,
		...changed,
	};
}

function assess(
	changed: Partial<PullEvidence> = {},
	hints: Partial<ConfidenceHints> = {},
	own: Partial<PullRequest> = {},
) {
	return assessPull({ pull: { ...pull, ...own }, evidence: evidence(changed) }, { ...noHints, ...hints }, rules);
}

function proofsOf(name: string, assessment: ReturnType<typeof assess>): string[] {
	return assessment.evidence.find(({ factor }) => factor === name)?.proofs.map(({ what }) => what) ?? [];
}

describe("the assessment of a pull request", () => {
	it("asks a person about a change that no check and nobody has looked at, however small it is", () => {
		const { verdict } = assess({ checks: [], reviews: [] });
		expect(verdict).to.deep.include({ score: 0.715, action: "require_approval" });
		expect(verdict.reason).to.include("no check has passed and nobody has approved it");
		for (const looked of [{ checks: [] }, { reviews: [] }])
			expect(assess(looked).verdict.action).to.equal("notify_then_merge");
	});

	it("lets a small ordinary change with a green CI and an approval be merged", () => {
		const { verdict, evidence: found } = assess();
		expect(verdict).to.deep.include({ score: 0.955, action: "auto_merge" });
		expect(found.map(({ factor, weight, value }) => [factor, weight, value])).to.deep.equal([
			["ci", 0.12, 1],
			["review", 0.12, 1],
			["mergeable", 0.06, 1],
			["coverage", 0.1, 1],
			["size", 0.2, 1],
			["category", 0.15, 0.7],
			["dependencies", 0.15, 1],
			["files", 0.1, 1],
		]);
		expect(found[0]?.proofs).to.deep.equal([
			{ what: 'Check "build" is passing', where: "https://ci.example/1", when: "2026-11-20T10:00:00.000Z" },
		]);
		expect(found[1]?.proofs[0]).to.deep.equal({
			what: '"bob" approved this commit',
			where: "https://git.example/r/1",
			when: "2026-11-20T10:00:00.000Z",
		});
	});

	it("gives no points to a failing CI, whatever else is good, and whichever check has the same name", () => {
		for (const checks of [
			[{ ...green, state: "failing" as const }],
			[green, { ...green, state: "failing" as const }],
			[{ ...green, state: "failing" as const }, green],
		])
			expect(assess({ checks }).verdict).to.deep.include({
				score: 0,
				factors: { tests: 0 },
				action: "require_approval",
			});
		expect(assess({}, { tests_pass: false }).verdict.score).to.equal(0);
		expect(assess({}, { ci_status: "failing" }).verdict.score).to.equal(0);
	});

	it("merges nothing by itself while CI, review or mergeability are not known to be good", () => {
		const cases: Partial<PullEvidence>[] = [
			{ checks: [] },
			{ checks: [{ ...green, state: "pending" }] },
			{ checks: [{ ...green, is_skipped: true }] },
			{ checks: [green, { ...green, state: "unknown" }] },
			{ reviews: [] },
			{ mergeable: null },
			{ more: true },
			{ files: [{ path: ".github/workflows/ci.yml", additions: 1, deletions: 1 }] },
		];
		for (const changed of cases) {
			const { action, reason } = assess({ files: [{ ...file, path: "README.md" }], ...changed }).verdict;
			expect(action, `${JSON.stringify(changed)}: ${reason}`).not.to.equal("auto_merge");
		}
	});

	it("requires an approval for requested changes, conflicts and drafts", () => {
		const requested = { ...approval, author: "carol", state: "changes_requested", commit: older } as const;
		expect(assess({ reviews: [approval, requested] }).verdict.action).to.equal("require_approval");
		expect(assess({ mergeable: false }).verdict.action).to.equal("require_approval");
		expect(assess({}, {}, { draft: true }).verdict.action).to.equal("require_approval");
	});

	it("counts the approvals of the head commit by other people only, and says why others do not count", () => {
		const refused: [Partial<typeof approval> | object, RegExp][] = [
			[{ commit: older }, /older commit/],
			[{ commit: null }, /does not say which commit/],
			[{ author: "Alice" }, /the author's own/],
			[{ author: "helper[bot]" }, /a program's/],
			[{ author: "project_64_bot_4ffca233d8298ea1" }, /a program's/],
			[{ author: "group_7_bot1" }, /a program's/],
			[{ author: "service_account_group_7_a1b2" }, /a program's/],
			[{ state: "dismissed" }, /dismissed/],
			[{ is_outsider: true }, /no part in the repository/],
		];
		for (const [changed, why] of refused) {
			const assessment = assess({ reviews: [{ ...approval, ...changed }] });
			expect(assessment.verdict.factors["review"], String(why)).to.equal(0);
			expect(proofsOf("review", assessment).join()).to.match(why);
		}
	});

	it("takes the last decisive review of each person; a comment takes back nothing", () => {
		const requested = { ...approval, state: "changes_requested" } as const;
		const commented = { ...approval, state: "commented", at: later } as const;
		const reviewed = (...reviews: PullEvidence["reviews"]) => assess({ reviews }).verdict.factors["review"];
		expect(reviewed(requested, { ...approval, at: later })).to.equal(1);
		expect(reviewed({ ...approval, at: later }, requested), "order does not matter").to.equal(1);
		expect(reviewed(approval, { ...requested, at: later })).to.equal(0);
		expect(reviewed(approval, requested), "at the same time").to.equal(0);
		expect(reviewed(requested, commented)).to.equal(0);
		expect(reviewed(approval, commented)).to.equal(1);
		expect(reviewed({ ...requested, at: null }, { ...approval, at: later }), "at an unknown time").to.equal(0);
		expect(reviewed({ ...approval, at: null }, requested)).to.equal(0);
	});

	it("reads sensitive and moved paths and dependencies", () => {
		const factors = (...files: PullEvidence["files"]) => assess({ files }).verdict.factors;
		expect(factors({ ...file, path: "README.md" })["category"]).to.equal(1);
		expect(factors({ ...file, path: "README.md" }, { ...file, path: "src/auth/a.ts" })["category"]).to.equal(0.3);
		expect(factors({ ...file, path: "docs/a.md", previous_path: "src/auth/a.md" })["category"]).to.equal(0.3);
		expect(factors({ ...file, path: "web/package.json" })["dependencies"]).to.equal(0.3);
		expect(factors(...Array.from({ length: 11 }, () => file))).to.include({ files: 0.4, size: 0.5 });
	});

	it("shows hostile names on one line, bounded, and links to web pages only", () => {
		const names = ["a\nb", "x".repeat(10_000), "\u202Egnp.exe"];
		const checks = names.map((name) => ({ ...green, name, url: "javascript:alert(1)" }));
		const files = Array.from({ length: 3_500 }, (_, place) => ({
			...file,
			path: `src/a\r\n${place}/${"y".repeat(4_000)}`,
		}));
		const assessment = assess({ checks, files });
		const all = assessment.evidence.flatMap(({ proofs }) => proofs);
		for (const { what, where } of all) {
			expect(what).to.match(/^[^\p{Cc}\p{Cf}]{1,400}$/u);
			expect(where ?? "https:").to.match(/^https:/);
		}
		expect(JSON.stringify(assessment).length).to.be.below(65_536);
		expect(proofsOf("category", assessment)).to.have.length(21).and.include("3480 more");
	});

	it("computes the example of the documentation", () => {
		const page = readFileSync(join(projectRoot, "docs/merge-confidence.md"), "utf8");
		const [, terms = "", sum, action] = /^(0\.12·1 \+ .*) = ([\d.]+), `(\w+)`\.$/m.exec(page) ?? [];
		const files = ["src/cart.ts", "test/cart.test.ts"].map((path) => ({ path, additions: 20, deletions: 0 }));
		const { verdict, evidence: found } = assess({ files });
		expect(found.map(({ weight, value }) => `${weight.toFixed(2)}·${value}`).join(" + ")).to.equal(terms);
		expect([verdict.score, verdict.action]).to.deep.equal([Number(sum), action]);
		const ofAuth = assess({ files: [{ path: "src/auth/cart.ts", additions: 40, deletions: 0 }] }).verdict;
		expect(page).to.contain(`the category \`auth\`: ${ofAuth.score}, \`${ofAuth.action}\``);
	});

	it("is never raised by what the caller says", () => {
		const hints = fc.record({
			tests_pass: fc.option(fc.boolean()),
			coverage_delta: fc.integer({ min: -5, max: 5 }),
			lines_changed: fc.option(fc.nat(400)),
			files_changed: fc.option(fc.nat(20)),
			has_dependency_changes: fc.boolean(),
			change_categories: fc.array(fc.constantFrom("docs", "test", "feature", "auth"), { maxLength: 3 }),
			ci_status: fc.option(fc.constantFrom("passing", "failing", "pending", "unknown")),
			review_status: fc.option(fc.constantFrom("approved", "changes_requested", "pending", "unknown")),
		});
		const shown = fc.record({
			mergeable: fc.option(fc.boolean()),
			checks: fc.array(
				fc.record({ name: fc.string(), state: fc.constantFrom("passing", "pending", "failing", "unknown") }),
				{ maxLength: 3 },
			),
			reviews: fc.array(
				fc.record({
					author: fc.constantFrom("alice", "bob", "carol"),
					state: fc.constantFrom("approved", "changes_requested", "dismissed", "commented"),
					commit: fc.constantFrom(head, older, null),
				}),
				{ maxLength: 4 },
			),
			files: fc.array(
				fc.record({
					path: fc.constantFrom("README.md", "src/a.ts", "auth/a.ts", "package.json", ".ci/run"),
					additions: fc.nat(400),
					deletions: fc.nat(10),
				}),
				{ maxLength: 12 },
			),
			more: fc.boolean(),
		});
		fc.assert(
			fc.property(shown, hints, (changed, said) => {
				const full = {
					...changed,
					checks: changed.checks.map((check) => ({ ...green, ...check })),
					reviews: changed.reviews.map((review) => ({ ...approval, ...review })),
				} as Partial<PullEvidence>;
				const plain = assess(full).verdict;
				const lowered = assess(full, said as ConfidenceHints).verdict;
				expect(lowered.score).to.be.within(0, plain.score);
				expect(ranks.indexOf(lowered.action)).to.be.at.most(ranks.indexOf(plain.action));
				if (full.checks?.some(({ state }) => state === "failing")) expect(plain.action).to.equal("require_approval");
			}),
		);
	});
});
