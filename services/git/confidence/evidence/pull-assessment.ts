/** Judges a pull request by what its provider shows of it. Facts of the caller lower the score and never raise it. Pure. */
import type { ConfidenceHints, WeighedFactor } from "#shared/contracts/git/confidence.ts";
import type { PullEvidence, PullRequest } from "../../providers/git-provider.ts";
import { type Cap, failed, type Thresholds, type Verdict, verdictOf, weights } from "../formula/factors.ts";
import type { PathCategories } from "../formula/path-categories.ts";
import { changeFindings } from "./change-findings.ts";
import { ciFinding } from "./ci-finding.ts";
import type { Finding } from "./finding.ts";
import { reviewFinding } from "./review-finding.ts";

interface Assessment {
	readonly verdict: Verdict;
	readonly evidence: readonly WeighedFactor[];
}

export interface AssessmentRules {
	readonly paths: PathCategories;
	readonly thresholds: Thresholds;
}

export interface ShownPull {
	readonly pull: PullRequest;
	readonly evidence: PullEvidence;
}

export function assessPull(
	{ pull, evidence }: ShownPull,
	hints: ConfidenceHints,
	{ paths, thresholds }: AssessmentRules,
): Assessment {
	const { checks, reviews, files, mergeable, head_sha, more } = evidence;
	const ci = ciFinding(checks, more, hints.ci_status);
	const reviewed = { head: head_sha, author: evidence.author ?? pull.author ?? "", more };
	const findings = [
		ci,
		reviewFinding(reviews, reviewed, hints.review_status),
		mergeableFinding(mergeable, pull),
		...changeFindings({ files, more }, hints, paths),
	];
	const weighed = findings.map(weighedFactor);
	if (ci.status === "failing") return { verdict: failed("Checks of the CI"), evidence: weighed };
	if (hints.tests_pass === false) return { verdict: failed("The caller says that tests"), evidence: weighed };
	const factors = findings.map(({ factor, tenths }) => ({ name: factor, tenths }));
	const caps = [...findings.flatMap((finding) => finding.caps), ...unseenCaps(findings)];
	return { verdict: verdictOf(factors, caps, thresholds), evidence: weighed };
}

/** A change that nothing and nobody has looked at is never merged with a mere notice, however harmless its size and paths are. */
function unseenCaps(findings: readonly Finding[]): Cap[] {
	const looked = findings.filter(({ factor }) => factor === "ci" || factor === "review");
	if (looked.some(({ tenths }) => tenths > 0)) return [];
	return [{ action: "require_approval", because: "no check has passed and nobody has approved it" }];
}

function mergeableFinding(mergeable: boolean | null, { draft, url }: PullRequest): Finding {
	const known = new Map<boolean | null, { tenths: number; what: string; caps: Cap[] }>([
		[true, { tenths: 10, what: "The provider can merge it", caps: [] }],
		[
			false,
			{
				tenths: 0,
				what: "The provider cannot merge it",
				caps: [{ action: "require_approval", because: "the provider cannot merge it" }],
			},
		],
	]);
	const { tenths, what, caps } = known.get(mergeable) ?? {
		tenths: 5,
		what: "The provider does not say whether it can merge it",
		caps: [{ action: "notify_then_merge", because: "it is not known whether it can be merged" }],
	};
	const ofDraft: Cap[] = draft ? [{ action: "require_approval", because: "it is a draft" }] : [];
	return {
		factor: "mergeable",
		tenths,
		proofs: [{ what: draft ? `${what}; it is a draft` : what, where: url, when: null }],
		caps: [...caps, ...ofDraft],
	};
}

function weighedFactor({ factor, tenths, proofs }: Finding): WeighedFactor {
	return { factor, weight: weights[factor] / 100, value: tenths / 10, proofs: [...proofs] };
}
