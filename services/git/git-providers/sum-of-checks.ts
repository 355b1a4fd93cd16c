/** Sums the checks of a commit up. Pure. */
import type { CheckEvidence, CiStatus } from "../providers/git-provider.ts";

/** Checks of one commit. */
export interface SomeChecks {
	readonly checks: readonly CheckEvidence[];
	/** Whether there are more than these. */
	readonly more: boolean;
}

/** The first of these states that any check has is the state of all. */
const order: readonly CiStatus[] = ["failing", "pending", "unknown", "passing"];

/** Returns the state of all together; without any check, and with checks that were not read, nobody knows whether all is well. */
export function sumOfChecks({ checks, more }: SomeChecks): CiStatus {
	const sum = order.find((state) => checks.some((check) => check.state === state)) ?? "unknown";
	return sum === "passing" && more ? "unknown" : sum;
}
