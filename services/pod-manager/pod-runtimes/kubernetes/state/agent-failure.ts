/** Judges the failures that session agents report. Pure. */
import { agentFailureCodes, failureCodes, statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";

/** The form of a code; one with other characters could be shown as one that it is not. */
const codeForm = /^[A-Z][A-Z0-9_]{0,99}$/;

/**
 * Returns the failure as far as a session agent can know it. Programs of the session can write what its agent does, so one with a
 * code of the platform or of the cluster says nothing. An agent of another version may have codes that are not known here.
 */
export function agentFailure({ code, message }: PodFailure): PodFailure {
	const isOfOthers = failureCodes.has(code) && !agentFailureCodes.has(code);
	if (isOfOthers || !codeForm.test(code)) return { code: "FAILED", message: statusReasons.FAILED[0] };
	return { code, message };
}
