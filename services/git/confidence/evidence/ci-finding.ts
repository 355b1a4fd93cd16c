/**
 * Judges the checks of a head commit. Every check counts, also one with the name of another: a hostile pull request could
 * bring a green check of any name, and so no check may outvote a red one. Pure.
 */
import type { CheckEvidence, CiStatus } from "../../providers/git-provider.ts";
import { type Cap, capsOf } from "../formula/factors.ts";
import { boundedProofs, type Finding, quoted, timeOf, webUrl } from "./finding.ts";

/** The worst comes first. */
const order: readonly CiStatus[] = ["failing", "pending", "unknown", "passing"];

/** Returns the worse of two statuses; an absent one says nothing. */
function worseCi(one: CiStatus, other: CiStatus | null | undefined): CiStatus {
	return other && order.indexOf(other) < order.indexOf(one) ? other : one;
}

/** Returns the status of all checks together. @param more Whether there are checks that nobody has looked at. */
function ciSum(checks: readonly CheckEvidence[], more: boolean): CiStatus {
	if (checks.some(({ state }) => state === "failing")) return "failing";
	if (checks.some(({ state }) => state === "pending")) return "pending";
	const isProven = checks.some(({ state, is_skipped }) => state === "passing" && !is_skipped);
	const isUnknown = more || checks.some(({ state }) => state === "unknown");
	return isProven && !isUnknown ? "passing" : "unknown";
}

/** @param said The status that the caller knows; it counts when it is worse. */
export function ciFinding(
	checks: readonly CheckEvidence[],
	more: boolean,
	said: CiStatus | null | undefined,
): Finding & { readonly status: CiStatus } {
	const seen = ciSum(checks, more);
	const status = worseCi(seen, said);
	const worst = checks.toSorted((one, other) => place(one) - place(other));
	const proofs = worst.map(({ name, state, url, at, is_skipped }) => ({
		what: `Check ${quoted(name)} ${is_skipped ? "was skipped" : `is ${state}`}`,
		where: webUrl(url),
		when: timeOf(at),
	}));
	const none = { what: "The provider shows no check of this commit", where: null, when: null };
	const told = { what: `The caller says that the CI is ${status}`, where: null, when: null };
	return {
		factor: "ci",
		tenths: status === "passing" ? 10 : 0,
		proofs: boundedProofs([...(status === seen ? [] : [told]), ...(proofs.length > 0 ? proofs : [none])]),
		caps: capsOf({ ci_status: status }) satisfies readonly Cap[],
		status,
	};
}

function place({ state }: CheckEvidence): number {
	return order.indexOf(state);
}
