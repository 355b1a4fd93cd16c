/**
 * Limits the requests of one gateway by person and tenant: how many begin in a second (a token bucket), and how many are
 * worked on at a time. A person's logins and tokens count together. What is beyond a limit is refused at once.
 */
import { LRUCache } from "lru-cache";
import type { Principal } from "#shared/bus/principal.ts";
import { monotonic } from "#shared/clock.ts";
import type { Limits } from "#shared/config/limits.ts";
import { TooManyRequestsError } from "#shared/errors.ts";
import { callerKey } from "./caller-key.ts";

/** A request that is worked on. */
export interface BegunRequest {
	/** Leaves the places of the request; a second call does nothing. */
	end(): void;
}

interface Bucket {
	level: number;
	/** The time of the level on the monotonic clock. */
	at: number;
}

/**
 * The most buckets; the one used longest ago is forgotten first, and is full when its person comes back. Beyond so many
 * persons at a time, the places below still bound the work.
 */
const maxBuckets = 20_000;

const nothing: BegunRequest = { end() {} };

/** The limits of one gateway. */
export class RequestLimits {
	readonly #limits: Limits;
	readonly #buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
	/** The requests that are worked on, by person or tenant. There are no entries of 0. */
	readonly #inFlight = new Map<string, number>();

	constructor(limits: Limits) {
		this.#limits = limits;
	}

	/** Counts a request that begins. @throws {TooManyRequestsError} when it is beyond the rate. */
	count(principal: Principal): void {
		const { requestsPerSecond, burst } = this.#limits;
		if (requestsPerSecond === Infinity || !isLimited(principal)) return;
		const key = callerKey(principal);
		const at = monotonic();
		const bucket = this.#buckets.get(key) ?? { level: burst, at };
		bucket.level = Math.min(burst, bucket.level + ((at - bucket.at) / 1_000) * requestsPerSecond);
		bucket.at = at;
		this.#buckets.set(key, bucket);
		if (bucket.level < 1)
			throw new TooManyRequestsError(`More than ${requestsPerSecond} requests in a second, try again`, "RATE_LIMIT");
		bucket.level--;
	}

	/** Takes the places of a request until it ends. @throws {TooManyRequestsError} when there is none. */
	begin(principal: Principal): BegunRequest {
		const { inFlightPerUser, inFlightPerTenant } = this.#limits;
		if (!isLimited(principal)) return nothing;
		const places: [string, number][] = [[callerKey(principal), inFlightPerUser]];
		if (principal.kind !== "pod") places.push([`tenant ${principal.tenant}`, inFlightPerTenant]);
		const bounded = places.filter(([, most]) => most !== Infinity);
		const full = bounded.find(([key, most]) => (this.#inFlight.get(key) ?? 0) >= most);
		if (full)
			throw new TooManyRequestsError(`${full[1]} requests are under way already, try again`, "REQUESTS_IN_FLIGHT");
		for (const [key] of bounded) this.#inFlight.set(key, (this.#inFlight.get(key) ?? 0) + 1);
		let isOver = false;
		return {
			end: () => {
				if (!isOver) for (const [key] of bounded) this.#leave(key);
				isOver = true;
			},
		};
	}

	#leave(key: string): void {
		const rest = (this.#inFlight.get(key) ?? 1) - 1;
		if (rest === 0) this.#inFlight.delete(key);
		else this.#inFlight.set(key, rest);
	}
}

/** Public requests have no caller to count; the server in front of the gateway knows addresses. */
function isLimited({ kind }: Principal): boolean {
	return kind !== "anonymous";
}
