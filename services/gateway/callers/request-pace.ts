/**
 * Shares the event loop fairly between persons. While several persons send requests, one request per person begins in
 * each turn of the event loop, and only a few of one person are worked on at a time; a request that has run for long
 * waits for something else and is no longer counted. Nothing is refused, and a person who is alone never waits. A person's
 * logins and tokens are one person here.
 */
import type { Principal } from "#shared/base/principal.ts";
import { bound } from "#shared/base/bounds.ts";
import { monotonic, nextTurn } from "#shared/base/clock.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { TimeLimits } from "#shared/base/concurrency/time-limits.ts";
import { callerKey } from "./accounts.ts";

/** A person counts as present for this time after a request, in milliseconds. */
const presentMs = 1_000;
/** The time after which a request counts as waiting instead of being worked on, in milliseconds. */
const workMs = 250;

/** It orders the requests of one gateway. */
export class RequestPace {
	/** The requests that are worked on; those of a person that began while nobody else was present do not count. */
	readonly #worked = new FairQueue({ atOnce: Infinity, share: bound.pacedRequests });
	/** The beginnings; each has its place until the next turn of the event loop. */
	readonly #begun = new FairQueue({ atOnce: Infinity, share: 1 });
	readonly #limits = new TimeLimits();
	#latest = "";
	#latestAt = 0;
	/** The time of the last request of a person other than the latest one. */
	#formerAt = Number.NEGATIVE_INFINITY;
	readonly #keyOf: (principal: Principal) => string;

	/** @param keyOf Says whose requests have their turns together; default: those of each caller. */
	constructor(keyOf: (principal: Principal) => string = callerKey) {
		this.#keyOf = keyOf;
	}

	/** Runs `serve` when it is the person's turn, and returns its result. */
	async run<T>(principal: Principal, serve: () => Promise<T>): Promise<T> {
		const who = this.#keyOf(principal);
		if (!this.#isInCompany(who)) return serve();
		const { promise, resolve } = Promise.withResolvers<T>();
		const begin = (over: () => void): Promise<void> => {
			const answer = serve();
			resolve(answer);
			this.#watch(answer, over);
			return nextTurn();
		};
		void this.#worked.run(who, () => new Promise<void>((over) => void this.#begun.run(who, () => begin(over))));
		return promise;
	}

	/** Whether another person is present too. */
	#isInCompany(who: string): boolean {
		const at = monotonic();
		if (this.#latest !== who) this.#formerAt = this.#latest === "" ? this.#formerAt : this.#latestAt;
		this.#latest = who;
		this.#latestAt = at;
		return at - this.#formerAt < presentMs;
	}

	/** Calls `over` once when the request is answered, or waits for something else. */
	#watch(answer: Promise<unknown>, over: () => void): void {
		const limit = this.#limits.begin(workMs, over);
		const end = (): void => {
			limit.cancel();
			over();
		};
		answer.then(end, end);
	}
}
