/**
 * The formula of merge confidence: the value and the weight of each factor, and the recommendation that follows. All
 * values are tenths and all weights hundredths, so that sums are exact and a score that equals a threshold reaches it.
 * Pure.
 */
import type { ConfidenceHints, MergeAction } from "#shared/contracts/git/confidence.ts";

/** The weights in hundredths. Evidence of a pull request divides the weight of `tests` among its first three factors. */
export const weights = {
	tests: 30,
	ci: 12,
	review: 12,
	mergeable: 6,
	coverage: 10,
	size: 20,
	category: 15,
	dependencies: 15,
	files: 10,
} as const;

export type FactorName = keyof typeof weights;

/** One factor with its value in tenths, from 0 to 10. */
export interface Factor {
	readonly name: FactorName;
	readonly tenths: number;
}

/** The highest action that something allows, and the reason as a clause: `the CI is pending`. */
export interface Cap {
	readonly action: MergeAction;
	readonly because: string;
}

/** The scores at which the recommendations begin. */
export interface Thresholds {
	readonly auto_merge_threshold: number;
	readonly notify_merge_threshold: number;
}

/** The result of the formula. */
export interface Verdict {
	readonly score: number;
	readonly factors: Record<string, number>;
	readonly action: MergeAction;
	readonly reason: string;
}

/** The properties of a change that its factors are computed from. */
export interface ChangeFacts {
	readonly coverage_delta: number;
	readonly lines_changed: number;
	readonly files_changed: number;
	readonly has_dependency_changes: boolean;
	readonly change_categories: readonly string[];
}

const harmless = new Set(["test", "docs", "lint", "style", "ci"]);
export const sensitive: ReadonlySet<string> = new Set(["security", "auth", "database", "migration"]);

/** Returns the factors of a change, without those of its tests and its evidence. */
export function changeFactors(facts: ChangeFacts): Factor[] {
	return [
		{ name: "coverage", tenths: coverageTenths(facts.coverage_delta) },
		{ name: "size", tenths: sizeTenths(facts.lines_changed) },
		{ name: "category", tenths: categoryTenths(facts.change_categories) },
		{ name: "dependencies", tenths: facts.has_dependency_changes ? 3 : 10 },
		{ name: "files", tenths: filesTenths(facts.files_changed) },
	];
}

function coverageTenths(delta: number): number {
	if (delta >= 0) return 10;
	return delta >= -2 ? 7 : 3;
}

function sizeTenths(lines: number): number {
	if (lines <= 50) return 10;
	if (lines <= 100) return 8;
	return lines <= 300 ? 5 : 2;
}

function categoryTenths(categories: readonly string[]): number {
	if (categories.length > 0 && categories.every((category) => harmless.has(category))) return 10;
	return categories.some((category) => sensitive.has(category)) ? 3 : 7;
}

function filesTenths(files: number): number {
	if (files <= 3) return 10;
	return files <= 10 ? 7 : 4;
}

/** Returns what the statuses that a caller knows allow (docs/merge-confidence.md). */
export function capsOf({ ci_status, review_status }: Pick<ConfidenceHints, "ci_status" | "review_status">): Cap[] {
	const caps: Cap[] = [];
	if (ci_status === "pending" || ci_status === "unknown")
		caps.push({ action: "notify_then_merge", because: `the CI is ${ci_status}` });
	if (review_status === "pending") caps.push({ action: "notify_then_merge", because: "the review is pending" });
	if (review_status === "changes_requested")
		caps.push({ action: "require_approval", because: "a reviewer requested changes" });
	return caps;
}

/** Returns the verdict about a change whose tests or CI fail. */
export function failed(what: string): Verdict {
	return { score: 0, factors: { tests: 0 }, action: "require_approval", reason: `${what} fail` };
}

/** Returns the verdict: the weighted sum decides about the action, and every cap lowers it. */
export function verdictOf(factors: readonly Factor[], caps: readonly Cap[], thresholds: Thresholds): Verdict {
	const thousandths = factors.reduce((sum, { name, tenths }) => sum + weights[name] * tenths, 0);
	const score = thousandths / 1_000;
	const reached = actionAt(score, thresholds);
	const lowest = caps.reduce<Cap | undefined>((low, cap) => (low && rank(low) <= rank(cap) ? low : cap), undefined);
	const action = lowest && rank(lowest) < ranks[reached] ? lowest.action : reached;
	return {
		score,
		factors: Object.fromEntries(factors.map(({ name, tenths }) => [name, tenths / 10])),
		action,
		reason: reasonOf(score, reached, { action, caps }, thresholds),
	};
}

const ranks: Readonly<Record<MergeAction, number>> = { require_approval: 0, notify_then_merge: 1, auto_merge: 2 };

function rank({ action }: Cap): number {
	return ranks[action];
}

function actionAt(score: number, { auto_merge_threshold, notify_merge_threshold }: Thresholds): MergeAction {
	if (score >= auto_merge_threshold) return "auto_merge";
	return score >= notify_merge_threshold ? "notify_then_merge" : "require_approval";
}

function reasonOf(
	score: number,
	reached: MergeAction,
	{ action, caps }: { action: MergeAction; caps: readonly Cap[] },
	{ auto_merge_threshold, notify_merge_threshold }: Thresholds,
): string {
	const places = {
		auto_merge: `reaches the threshold ${auto_merge_threshold} of an automatic merge`,
		notify_then_merge: `is below ${auto_merge_threshold} and reaches ${notify_merge_threshold}`,
		require_approval: `is below the threshold ${notify_merge_threshold}`,
	};
	const place = `The score ${score.toFixed(3)} ${places[reached]}`;
	const causes = caps.filter((cap) => rank(cap) <= ranks[reached]).map(({ because }) => because);
	if (causes.length === 0) return place;
	return `${place}${action === reached ? "; " : ", but "}${causes.join(", and ")}`;
}
