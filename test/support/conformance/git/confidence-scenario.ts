/** One pass over merge confidence, by facts and by the names of pull requests that nobody serves. */
import { expect } from "chai";
import type { Walker } from "../walker.ts";

interface Verdict {
	score: number;
	action: string;
	factors: Record<string, number>;
}

const least = { tests_pass: true, lines_changed: 1, files_changed: 1 };

export async function walkConfidence(walker: Walker): Promise<void> {
	const judged = (body: object) => walker.call<Verdict>("calculateConfidence", 200, { body: { ...least, ...body } });
	for (const [facts, score, action] of [
		[{}, 0.955, "auto_merge"],
		[{ change_categories: ["docs"] }, 1, "auto_merge"],
		[{ lines_changed: 301 }, 0.795, "notify_then_merge"],
		[{ change_categories: ["auth"] }, 0.895, "notify_then_merge"],
		[{ ci_status: "pending", review_status: null }, 0.955, "notify_then_merge"],
		[{ ci_status: "passing", review_status: "pending" }, 0.955, "notify_then_merge"],
		[{ review_status: "changes_requested" }, 0.955, "require_approval"],
		[{ ci_status: "failing" }, 0, "require_approval"],
		[
			{ lines_changed: 301, files_changed: 11, coverage_delta: -3, has_dependency_changes: true },
			0.56,
			"require_approval",
		],
	] as const)
		expect(await judged(facts), JSON.stringify(facts)).to.deep.include({ score, action });
	expect((await judged({ tests_pass: false })).factors).to.deep.equal({ tests: 0 });
	await walker.call("calculateConfidence", 422, { body: { repo_url: "https://git.example/org/shop" } });
	await walker.call("calculateConfidence", 400, { body: { repo_url: "https://git.example/org/shop", number: 1 } });
}
