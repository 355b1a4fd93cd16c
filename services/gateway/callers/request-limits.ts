/**
 * Limits the requests of one gateway by person and tenant: how many begin in a second (a token bucket), and how many are
 * worked on at a time. A person's logins and tokens count together. What is beyond a limit is refused at once; each person
 * has some places of the tenant in any case.
 */
import { LRUCache } from "lru-cache";
import type { Principal } from "#shared/base/principal.ts";
import { bound } from "#shared/base/bounds.ts";
import { Tally } from "#shared/base/concurrency/tally.ts";
import { TokenBucket } from "#shared/base/concurrency/token-bucket.ts";
import type { Limits } from "#shared/config/limits.ts";
import { TooManyRequestsError, UnauthorizedError } from "#shared/base/errors.ts";
import { BodyBytes } from "../http/body-bytes.ts";
import { type Account, ownAccount } from "./accounts.ts";

/** A request that has begun, and waits for its body first. */
export interface BegunRequest {
	/** Takes the places of a request that is worked on, once. @throws {TooManyRequestsError} when there is none. */
	work(): void;
	/** Counts a part of the body that has come. @throws {TooManyRequestsError} when the bodies of the caller are too large. */
	received(bytes: number): void;
	/** Learns whether a service has found the credential of the request right. */
	judged(isRight: boolean): void;
	/** Leaves the places of the request; a second call does nothing. */
	end(): void;
}

/** Tells the limits whether the service has taken the credential of a request, or refused it. */
export async function judged<T>(begun: BegunRequest, answer: Promise<T>): Promise<T> {
	try {
		const result = await answer;
		begun.judged(true);
		return result;
	} catch (error) {
		if (error instanceof UnauthorizedError) begun.judged(false);
		throw error;
	}
}

const nothing: BegunRequest = { work() {}, received() {}, judged() {}, end() {} };

/** Places for requests of a person or a tenant at a time. */
interface Places {
	readonly key: string;
	readonly most: number;
	readonly what: string;
}

/** Each gateway has its own counts; those of several are not added up. */
export class RequestLimits {
	readonly #limits: Limits;
	/**
	 * The bucket used longest ago is forgotten first, and is full when its person comes back. Beyond so many persons at a
	 * time, the places still bound the work.
	 */
	readonly #buckets = new LRUCache<string, TokenBucket>({ max: bound.countedCallers });
	/** The requests that wait or are worked on, by person or tenant. */
	readonly #inFlight = new Tally();
	readonly #bodies = new BodyBytes();
	readonly #accountOf: (principal: Principal) => Account;

	/** @param accountOf Says whose requests count together; default: those of each caller. */
	constructor(limits: Limits, accountOf: (principal: Principal) => Account = ownAccount) {
		this.#limits = limits;
		this.#accountOf = accountOf;
	}

	/** Counts a request that begins. @throws {TooManyRequestsError} when it is beyond the rate. */
	count(principal: Principal): void {
		const { requestsPerSecond, burst } = this.#limits;
		if (requestsPerSecond === Infinity || !isLimited(principal)) return;
		const { key } = this.#accountOf(principal);
		const bucket = this.#buckets.get(key) ?? new TokenBucket({ perSecond: requestsPerSecond, burst });
		this.#buckets.set(key, bucket);
		if (!bucket.take())
			throw new TooManyRequestsError(`More than ${requestsPerSecond} requests in a second, try again`, "RATE_LIMIT");
	}

	/**
	 * Begins a request. Until its body is there, it has a place among those of its person which wait, and none among those
	 * that are worked on: bodies that do not come must not keep others of the tenant out.
	 * @throws {TooManyRequestsError} when too many requests of the person wait.
	 */
	begin(principal: Principal): BegunRequest {
		const { inFlightPerUser, inFlightPerTenant } = this.#limits;
		const most = Math.min(inFlightPerUser, inFlightPerTenant);
		if (!isLimited(principal) || most === Infinity) return nothing;
		const { key: who, tenant } = this.#accountOf(principal);
		const waiting = { key: `waiting ${who}`, most, what: "requests wait for their bodies" };
		const own = { key: who, most: inFlightPerUser, what: "requests are under way" };
		const shared = { key: `tenant ${tenant}`, most: inFlightPerTenant, what: own.what };
		const places = tenant === undefined ? [own] : [own, shared];
		let held: readonly Places[] = [];
		let bytes = 0;
		const leave = () => {
			for (const { key } of held) this.#inFlight.add(key, -1);
			held = [];
		};
		const take = (wanted: readonly Places[], bounds = wanted) => {
			leave();
			this.#refuseFull(bounds);
			for (const { key } of wanted) this.#inFlight.add(key);
			held = wanted;
		};
		take([waiting]);
		return {
			work: () => take(places, this.#inFlight.of(who) < bound.ownRequests ? [own] : places),
			received: (more) => {
				this.#bodies.take(who, more);
				bytes += more;
			},
			judged: () => {},
			end: () => {
				leave();
				if (bytes > 0) this.#bodies.leave(who, bytes);
				bytes = 0;
			},
		};
	}

	/** @throws {TooManyRequestsError} when a bound is reached. */
	#refuseFull(bounds: readonly Places[]): void {
		const full = bounds.find(({ key, most }) => this.#inFlight.of(key) >= most);
		if (full) throw new TooManyRequestsError(`${full.most} ${full.what} already, try again`, "REQUESTS_IN_FLIGHT");
	}
}

/** Public requests have no caller to count; the server in front of the gateway knows addresses. */
function isLimited({ kind }: Principal): boolean {
	return kind !== "anonymous";
}
