/** The limits in force: those of the configuration, with defaults that depend on the identity. Pure. */
import type { Config } from "./config.ts";

/** The limits; a number is infinite where there is none. */
export interface Limits {
	readonly requestsPerSecond: number;
	readonly burst: number;
	readonly inFlightPerUser: number;
	readonly inFlightPerTenant: number;
	readonly runningPerUser: number;
	readonly runningPerTenant: number;
}

const strangers = { requests: 50, inFlightOfUser: 64, inFlightOfTenant: 128, runningOfUser: 20, runningOfTenant: 200 };
const defaultBurst = 100;

/**
 * Returns the limits. Without a word in the configuration, people who share a machine are not limited, because they may
 * use all of it anyway. @param trustsCallers Whether the identity trusts its callers.
 */
export function limitsOf({ limits }: Pick<Config, "limits">, trustsCallers: boolean): Limits {
	const limit = (given: number | undefined, among: number): number => {
		const chosen = given ?? (trustsCallers ? 0 : among);
		return chosen === 0 ? Infinity : chosen;
	};
	return {
		requestsPerSecond: limit(limits.requests_per_second, strangers.requests),
		burst: limits.burst ?? defaultBurst,
		inFlightPerUser: limit(limits.in_flight_per_user, strangers.inFlightOfUser),
		inFlightPerTenant: limit(limits.in_flight_per_tenant, strangers.inFlightOfTenant),
		runningPerUser: limit(limits.running_per_user, strangers.runningOfUser),
		runningPerTenant: limit(limits.running_per_tenant, strangers.runningOfTenant),
	};
}
