/**
 * Judges the reviews of a pull request. An approval counts when it is of the head commit, by a person other than the
 * author. A request for changes counts until the same reviewer approves or it is dismissed, on whatever commit. Pure.
 */
import type { ReviewEvidence } from "../../providers/git-provider.ts";
import { capsOf } from "../formula/factors.ts";
import { boundedProofs, type Finding, quoted, timeOf, webUrl } from "./finding.ts";

type ReviewVerdict = "approved" | "changes_requested" | "pending" | "unknown";

/** The commit that is to be merged, and its author. */
interface Reviewed {
	readonly head: string;
	readonly author: string;
	/** Whether there are reviews that nobody has looked at. */
	readonly more: boolean;
}

/** A reviewer's standing opinion. */
interface Opinion {
	readonly review: ReviewEvidence;
	readonly counts: "approved" | "changes_requested" | "not";
	readonly what: string;
}

/** @param said The status that the caller knows; it counts when it is worse. */
export function reviewFinding(
	reviews: readonly ReviewEvidence[],
	reviewed: Reviewed,
	said: ReviewVerdict | null | undefined,
): Finding {
	const opinions = standing(reviews).map((review) => opinionOf(review, reviewed));
	const seen = verdictOf(opinions, reviewed.more);
	const status = worse(seen, said);
	const proofs = opinions
		.toSorted((one, other) => places.indexOf(one.counts) - places.indexOf(other.counts))
		.map(({ review: { url, at }, what }) => ({ what, where: webUrl(url), when: timeOf(at) }));
	const none = { what: "The provider shows no review", where: null, when: null };
	const told = { what: `The caller says that the review is ${status}`, where: null, when: null };
	return {
		factor: "review",
		tenths: status === "approved" ? 10 : 0,
		proofs: boundedProofs([...(status === seen ? [] : [told]), ...(proofs.length > 0 ? proofs : [none])]),
		caps: capsOf({ review_status: status }),
	};
}

const places: readonly Opinion["counts"][] = ["changes_requested", "approved", "not"];

function verdictOf(opinions: readonly Opinion[], more: boolean): ReviewVerdict {
	if (opinions.some(({ counts }) => counts === "changes_requested")) return "changes_requested";
	return !more && opinions.some(({ counts }) => counts === "approved") ? "approved" : "pending";
}

function worse(seen: ReviewVerdict, said: ReviewVerdict | null | undefined): ReviewVerdict {
	if (said === "changes_requested") return said;
	return said && said !== "approved" && seen === "approved" ? "pending" : seen;
}

/**
 * Returns the last decisive review of each reviewer. A request for changes is the last one when its time is not known, or
 * is that of another review: GitLab does not say when changes were requested.
 */
function standing(reviews: readonly ReviewEvidence[]): ReviewEvidence[] {
	const decisive = reviews.filter(({ state }) => decisions.includes(state));
	const inOrder = decisive.toSorted(
		(one, other) => rank(timeKey(one), timeKey(other)) || severity(one) - severity(other),
	);
	return [...new Map(inOrder.map((review) => [review.author.toLowerCase(), review])).values()];
}

function timeKey({ at, state }: ReviewEvidence): string {
	return timeOf(at) ?? (state === "changes_requested" ? "unknown" : "");
}

/** The states that end an earlier one; a comment, or a review that is not sent yet, takes back nothing. */
const decisions: readonly ReviewEvidence["state"][] = ["dismissed", "approved", "changes_requested"];

function rank(one: string, other: string): number {
	return one < other ? -1 : Number(one > other);
}

function severity({ state }: ReviewEvidence): number {
	return decisions.indexOf(state);
}

function opinionOf(review: ReviewEvidence, { head, author }: Reviewed): Opinion {
	const { state, commit } = review;
	const who = quoted(review.author);
	if (state === "changes_requested") return { review, counts: state, what: `${who} requested changes` };
	if (state !== "approved") return { review, counts: "not", what: `The review by ${who} was dismissed` };
	const not = (why: string): Opinion => ({
		review,
		counts: "not",
		what: `The approval by ${who} does not count: ${why}`,
	});
	if (review.author.toLowerCase() === author.toLowerCase()) return not("it is the author's own");
	if (review.is_outsider) return not("the reviewer has no part in the repository");
	if (isProgram(review.author)) return not("it is a program's");
	if (!commit) return not("the provider does not say which commit it is of");
	if (commit.toLowerCase() !== head.toLowerCase()) return not(`it is of the older commit ${quoted(commit)}`);
	return { review, counts: "approved", what: `${who} approved this commit` };
}

function isProgram(author: string): boolean {
	return author === "" || author.toLowerCase().endsWith("[bot]");
}
