/** Translates refusals of the cluster's API into the reasons that people read. Pure. */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import { PodRefused } from "../../pod-refused.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";

/** A kind of refusal. */
interface KnownRefusal {
	readonly code: FailureCode;
	/** The statuses with which the API says it; absent: any. */
	readonly statuses?: readonly number[];
	readonly words?: RegExp;
	/** Whether trying again cannot help; default: what is usual for the code. */
	readonly final?: boolean;
}

/** The most exact ones first. A policy and a webhook choose the status themselves. */
const known: readonly KnownRefusal[] = [
	{
		code: "POD_FORBIDDEN",
		words:
			/(ValidatingAdmissionPolicy|policy) '[^']*' (with binding '[^']*' )?denied request: |^admission webhook "[^"]*" denied the request/,
		final: true,
	},
	{ code: "NAMESPACE_ENDING", statuses: [403], words: /because it is being terminated$/ },
	{ code: "NAMESPACE_ENDING", statuses: [404], words: /^namespaces? "[^"]*" not found$/ },
	{ code: "QUOTA_EXCEEDED", statuses: [403], words: /is forbidden: exceeded quota: / },
	{
		code: "POD_FORBIDDEN",
		statuses: [403],
		words: /violates PodSecurity "|is forbidden: failed quota: |imum \S+ usage per \S+ is |limit to request ratio per /,
		final: true,
	},
	{ code: "POD_INVALID", statuses: [400, 413, 422], final: true },
	// The rights of the platform's own account, its classes and its accounts can be given while sessions wait.
	{ code: "POD_FORBIDDEN", statuses: [401, 403], final: false },
	{ code: "CLUSTER_UNREACHABLE", statuses: [429] },
];

const unreachable: KnownRefusal = { code: "CLUSTER_UNREACHABLE" };

/**
 * Throws the reason of the signal, if nobody waits for the step any more, or what people can be told about an error.
 * @throws {PodRefused} or the error itself, such as a conflict, which another try may not meet.
 */
export function refuse(error: unknown, signal: AbortSignal | undefined): never {
	signal?.throwIfAborted();
	throw (error instanceof ApiError ? refusalOf(error) : undefined) ?? error;
}

function refusalOf(error: ApiError): PodRefused | undefined {
	const { code, final } = kindOf(error) ?? {};
	return code && new PodRefused(code, error.message, { cause: error, ...(final !== undefined && { final }) });
}

function kindOf({ status, message }: ApiError): KnownRefusal | undefined {
	if (status === undefined) return unreachable;
	const isOf = ({ statuses, words }: KnownRefusal): boolean =>
		(statuses?.includes(status) ?? true) && (words?.test(message) ?? true);
	return known.find(isOf) ?? (status >= 500 ? unreachable : undefined);
}
