/** The limits in force: those of the configuration, with defaults that depend on the identity. Pure. */
import { bound } from "#shared/base/bounds.ts";
import type { Config } from "./config.ts";

/** A number is infinite where there is no limit. */
export type Limits = Readonly<ReturnType<typeof limitsOf>>;

/**
 * Returns the limits. Without a word in the configuration, people who share a machine are not limited, because they may
 * use all of it anyway. @param trustsCallers Whether the identity trusts its callers.
 */
export function limitsOf({ limits }: Pick<Config, "limits">, trustsCallers: boolean) {
	const limit = (given: number | undefined, among: number): number => {
		const chosen = given ?? (trustsCallers ? 0 : among);
		return chosen === 0 ? Infinity : chosen;
	};
	return {
		requestsPerSecond: limit(limits.requests_per_second, bound.requestsPerSecond),
		burst: limits.burst ?? bound.burst,
		inFlightPerUser: limit(limits.in_flight_per_user, bound.requestsOfOne),
		inFlightPerTenant: limit(limits.in_flight_per_tenant, bound.requestsOfTenant),
		runningPerUser: limit(limits.running_per_user, bound.runningOfOne),
		runningPerTenant: limit(limits.running_per_tenant, bound.runningOfTenant),
	};
}
