/** Judges the reviews of a pull request. Pure. */
import type { ReviewEvidence } from "../../providers/git-provider.ts";
import {
	type Objection,
	type Reviewed,
	type ReviewVerdict,
	reviewVerdict,
	type StandingReview,
	standingReviews,
} from "../../reviews/standing-reviews.ts";
import { capsOf } from "../formula/factors.ts";
import { boundedProofs, type Finding, quoted, timeOf, webUrl } from "./finding.ts";

/** @param said The status that the caller knows; it counts when it is worse. */
export function reviewFinding(
	reviews: readonly ReviewEvidence[],
	reviewed: Reviewed,
	said: ReviewVerdict | "unknown" | null | undefined,
): Finding {
	const standing = standingReviews(reviews, reviewed);
	const seen = reviewVerdict(standing, reviewed);
	const status = worse(seen, said);
	const proofs = standing
		.toSorted((one, other) => places.indexOf(one.counts) - places.indexOf(other.counts))
		.map((one) => ({ what: sentenceOf(one), where: webUrl(one.review.url), when: timeOf(one.review.at) }));
	const none = { what: "The provider shows no review", where: null, when: null };
	const told = { what: `The caller says that the review is ${status}`, where: null, when: null };
	return {
		factor: "review",
		tenths: status === "approved" ? 10 : 0,
		proofs: boundedProofs([...(status === seen ? [] : [told]), ...(proofs.length > 0 ? proofs : [none])]),
		caps: capsOf({ review_status: status }),
	};
}

const places: readonly StandingReview["counts"][] = ["changes_requested", "approved", "not"];

function worse(seen: ReviewVerdict, said: ReviewVerdict | "unknown" | null | undefined): ReviewVerdict {
	if (said === "changes_requested") return said;
	return said && said !== "approved" && seen === "approved" ? "pending" : seen;
}

const reasons: Readonly<Record<Exclude<Objection, "older-commit">, string>> = {
	own: "it is the author's own",
	outsider: "the reviewer has no part in the repository",
	program: "it is a program's",
	"unknown-commit": "the provider does not say which commit it is of",
};

function sentenceOf({ review, counts, objection }: StandingReview): string {
	const who = quoted(review.author);
	if (counts === "changes_requested") return `${who} requested changes`;
	if (counts === "approved") return `${who} approved this commit`;
	if (objection === undefined) return `The review by ${who} was dismissed`;
	const why =
		objection === "older-commit" ? `it is of the older commit ${quoted(review.commit ?? "")}` : reasons[objection];
	return `The approval by ${who} does not count: ${why}`;
}
