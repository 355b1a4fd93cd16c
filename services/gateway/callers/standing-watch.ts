/**
 * Ends streams and chats whose caller has lost access since they began: the token has expired, the member was removed, or
 * the roles are others. Claims without an end of their own get one, so that the client comes back with new ones. A request is checked when it comes, but these stay open for days.
 */
import { isDeepStrictEqual } from "node:util";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import type { Principal } from "#shared/base/principal.ts";
import { monotonic } from "#shared/base/clock.ts";
import { ForbiddenError, NotFoundError, UnauthorizedError } from "#shared/base/errors.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";

/** The interval of the checks in milliseconds. */
const everyMs = 4_000;
/** A connection ends when its caller could not be checked for this time, in milliseconds. */
const uncheckedMs = 30_000;
const atOnce = 20;

interface LongLived {
	readonly principal: Principal;
	/** Authenticates the caller again. */
	readonly authenticate: () => Promise<Principal>;
	readonly end: () => void;
}

interface WatchTimes {
	/** The interval of the checks in milliseconds. */
	readonly intervalMs?: number;
	/** How long the claims that opened a person's connection hold, in milliseconds; absent: they have an end themselves. */
	readonly claimsLastMs?: number | undefined;
}

/** A connection since its begin. Times are of the monotonic clock. */
interface Watched {
	readonly since: number;
	/** The last successful check. */
	checkedAt: number;
}

/** It has a timer, so its creator stops it. */
export class StandingWatch {
	readonly #open = new Map<LongLived, Watched>();
	readonly #claimsLastMs: number;
	readonly #job: RecurringJob;

	constructor({ intervalMs = everyMs, claimsLastMs = Infinity }: WatchTimes = {}) {
		this.#claimsLastMs = claimsLastMs;
		this.#job = new RecurringJob({ everyMs: intervalMs, work: () => this.#checkAll(), onError: () => {} });
		this.#job.start();
	}

	/** Watches a connection from now on; the returned function ends the watch. */
	add(connection: LongLived): () => void {
		const at = monotonic();
		this.#open.set(connection, { since: at, checkedAt: at });
		return () => this.#open.delete(connection);
	}

	async stop(): Promise<void> {
		await this.#job.stop();
	}

	async #checkAll(): Promise<void> {
		const checks = new FairQueue({ atOnce });
		await Promise.all([...this.#open.keys()].map((one) => checks.run("", () => this.#check(one))));
	}

	async #check(connection: LongLived): Promise<void> {
		const watched = this.#open.get(connection);
		if (watched === undefined) return;
		const { principal } = connection;
		if (principal.kind === "user" && monotonic() - watched.since > this.#claimsLastMs) return this.#end(connection);
		try {
			if (isDeepStrictEqual(await connection.authenticate(), principal)) watched.checkedAt = monotonic();
			else this.#end(connection);
		} catch (error) {
			const isRefused = [UnauthorizedError, ForbiddenError, NotFoundError].some((kind) => error instanceof kind);
			if (isRefused || monotonic() - watched.checkedAt > uncheckedMs) this.#end(connection);
		}
	}

	#end(connection: LongLived): void {
		this.#open.delete(connection);
		connection.end();
	}
}
