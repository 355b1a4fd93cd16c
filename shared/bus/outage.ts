/**
 * Which failures open a circuit breaker: those that no caller can bring about for others. A breaker is shared by
 * everybody, so whatever one client can provoke (a full queue, a lost race, its own pod that does not answer) must not count.
 */

const outages: readonly unknown[] = [
	"SERVICE_NOT_AVAILABLE",
	"STORE_CLOSED",
	"STORE_UNDECIDED",
	"STORE_UNREACHABLE",
	"STORE_UNWRITABLE",
];

interface BusFailure {
	readonly type?: unknown;
	readonly data?: { readonly isSilent?: unknown } | null;
}

/** A call that took too long counts only when its node is silent altogether: a slow answer may be the caller's own doing. */
export function isOutage(error: Error & BusFailure): boolean {
	return error.type === "REQUEST_TIMEOUT" ? error.data?.isSilent === true : outages.includes(error.type);
}
