/**
 * Says which reviews of a pull request count. An approval counts when it is of the head commit, by a person other than
 * the author who has a part in the repository. A request for changes counts until the same reviewer approves or it is
 * dismissed, on whatever commit. Pure.
 */
import type { ReviewEvidence } from "../providers/git-provider.ts";

export type ReviewVerdict = "approved" | "changes_requested" | "pending";

/** The commit that is to be merged, and its author. */
export interface Reviewed {
	readonly head: string;
	readonly author: string;
	/** Whether there are reviews that nobody has looked at. */
	readonly more: boolean;
}

/** The reason why an approval does not count. */
export type Objection = "own" | "outsider" | "program" | "unknown-commit" | "older-commit";

export interface StandingReview {
	readonly review: ReviewEvidence;
	readonly counts: "approved" | "changes_requested" | "not";
	/** Only of an approval that does not count. */
	readonly objection?: Objection;
}

/** The states that end an earlier one; a comment, or a review that is not sent yet, takes back nothing. */
const decisions: readonly ReviewEvidence["state"][] = ["dismissed", "approved", "changes_requested"];

/** The names that GitHub gives to programs, and GitLab to access tokens and service accounts. */
const programs = /\[bot\]$|^(?:project|group)_\d+_bot|^service_account_/;

/**
 * Returns the last decisive review of each reviewer. A request for changes is the last one when its time is not known, or
 * is that of another review: GitLab does not say when changes were requested.
 */
export function standingReviews(reviews: readonly ReviewEvidence[], reviewed: Reviewed): StandingReview[] {
	const decisive = reviews.filter(({ state }) => decisions.includes(state));
	const inOrder = decisive.toSorted(
		(one, other) => rank(timeOf(one), timeOf(other)) || severity(one) - severity(other),
	);
	const last = new Map(inOrder.map((review) => [review.author.toLowerCase(), review]));
	return [...last.values()].map((review) => counted(review, reviewed));
}

export function reviewVerdict(standing: readonly StandingReview[], { more }: Pick<Reviewed, "more">): ReviewVerdict {
	if (standing.some(({ counts }) => counts === "changes_requested")) return "changes_requested";
	return !more && standing.some(({ counts }) => counts === "approved") ? "approved" : "pending";
}

function counted(review: ReviewEvidence, reviewed: Reviewed): StandingReview {
	const { state } = review;
	if (state !== "approved") return { review, counts: state === "changes_requested" ? state : "not" };
	const objection = objectionTo(review, reviewed);
	return objection ? { review, counts: "not", objection } : { review, counts: "approved" };
}

/** Returns why an approval does not count; undefined when it does. */
function objectionTo({ author, commit, is_outsider }: ReviewEvidence, reviewed: Reviewed): Objection | undefined {
	const name = author.toLowerCase();
	if (name === reviewed.author.toLowerCase()) return "own";
	if (is_outsider) return "outsider";
	if (name === "" || programs.test(name)) return "program";
	if (!commit) return "unknown-commit";
	return commit.toLowerCase() === reviewed.head.toLowerCase() ? undefined : "older-commit";
}

/** Returns the time in milliseconds since 1970. */
function timeOf({ at, state }: ReviewEvidence): number {
	const time = Date.parse(at ?? "");
	if (!Number.isNaN(time)) return time;
	return state === "changes_requested" ? Infinity : -Infinity;
}

function rank(one: number, other: number): number {
	return one < other ? -1 : Number(one > other);
}

function severity({ state }: ReviewEvidence): number {
	return decisions.indexOf(state);
}
