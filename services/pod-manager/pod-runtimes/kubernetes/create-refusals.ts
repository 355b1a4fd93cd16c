/** Translates refusals of the cluster's API into the reasons that people read. Pure. */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import { PodRefused } from "../../pod-refused.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";

/** The words of refusals, the most exact ones first. */
const known: readonly (readonly [FailureCode, (refusal: ApiError) => boolean, boolean?])[] = [
	["NAMESPACE_ENDING", ({ message }) => /is being terminated|namespaces? "[^"]*" not found/i.test(message)],
	["QUOTA_EXCEEDED", ({ message }) => /exceeded quota|failed quota/i.test(message)],
	[
		"POD_FORBIDDEN",
		({ message }) => /violates PodSecurity|ValidatingAdmissionPolicy|admission webhook/i.test(message),
		true,
	],
	["POD_INVALID", ({ status }) => status === 422 || status === 400, true],
	// The rights of the platform's own account can be given while sessions wait.
	["POD_FORBIDDEN", ({ status }) => status === 401 || status === 403, false],
];

/**
 * Throws the reason of the signal, if nobody waits for the step any more, or what people can be told about an error.
 * @throws {PodRefused} or the error itself, such as a conflict, which another try may not meet.
 */
export function refuse(error: unknown, signal: AbortSignal | undefined): never {
	signal?.throwIfAborted();
	throw (error instanceof ApiError ? refusalOf(error) : undefined) ?? error;
}

function refusalOf(error: ApiError): PodRefused | undefined {
	const { status, message } = error;
	if (status === undefined || status >= 500) return new PodRefused("CLUSTER_UNREACHABLE", message, { cause: error });
	const [code, , final] = known.find(([, matches]) => matches(error)) ?? [];
	return code && new PodRefused(code, message, { cause: error, ...(final !== undefined && { final }) });
}
