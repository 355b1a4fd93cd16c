/** Translates refusals of the cluster's API into the reasons that people read. Pure. */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import { PodRefused } from "../../pod-refused.ts";

/** An answer of the API that is no success (Kubernetes API, meta/v1 Status). */
export interface ApiRefusal {
	/** The status of HTTP. */
	readonly status: number;
	/** Such as `Forbidden` or `Invalid`. */
	readonly reason: string;
	readonly message: string;
}

/** The words of refusals, the most exact ones first. */
const known: readonly (readonly [FailureCode, (refusal: ApiRefusal) => boolean, boolean?])[] = [
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

/** Returns the refusal with its reason; undefined for one that another try may not meet, such as a conflict. */
export function refusedBy(refusal: ApiRefusal, cause: unknown): PodRefused | undefined {
	const [code, , final] = known.find(([, matches]) => matches(refusal)) ?? [];
	if (code === undefined) return undefined;
	return new PodRefused(code, refusal.message, { cause, ...(final !== undefined && { final }) });
}
