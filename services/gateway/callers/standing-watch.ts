/**
 * Ends streams and chats whose caller has lost access since they began: the token has expired, the member was removed, or
 * the roles are others. A request is checked when it comes, but these stay open for days.
 */
import { isDeepStrictEqual } from "node:util";
import type { Principal } from "#shared/bus/principal.ts";
import { monotonic } from "#shared/clock.ts";
import { ForbiddenError, NotFoundError, UnauthorizedError } from "#shared/errors.ts";
import { RecurringJob } from "#shared/recurring-job.ts";

/** The interval of the checks in milliseconds. */
const everyMs = 4_000;
/** A connection ends when its caller could not be checked for this time, in milliseconds. */
const uncheckedMs = 30_000;
/** The checks that are under way at a time. */
const atOnce = 20;

/** A connection that stays open. */
export interface LongLived {
	readonly principal: Principal;
	/** Authenticates the caller again. */
	readonly authenticate: () => Promise<Principal>;
	/** Ends the connection. */
	readonly end: () => void;
}

/** The long-lived connections of one gateway. */
export class StandingWatch {
	/** The time of each connection's last successful check on the monotonic clock. */
	readonly #open = new Map<LongLived, number>();
	readonly #job: RecurringJob;

	/** @param intervalMs The interval of the checks. */
	constructor(intervalMs = everyMs) {
		this.#job = new RecurringJob({ everyMs: intervalMs, work: () => this.#checkAll(), onError: () => {} });
		this.#job.start();
	}

	/** Watches a connection from now on; the returned function ends the watch. */
	add(connection: LongLived): () => void {
		this.#open.set(connection, monotonic());
		return () => this.#open.delete(connection);
	}

	async stop(): Promise<void> {
		await this.#job.stop();
	}

	async #checkAll(): Promise<void> {
		const waiting = [...this.#open.keys()];
		const worker = async (): Promise<void> => {
			for (let next = waiting.pop(); next; next = waiting.pop()) await this.#check(next);
		};
		await Promise.all(Array.from({ length: atOnce }, worker));
	}

	async #check(connection: LongLived): Promise<void> {
		const checkedAt = this.#open.get(connection);
		if (checkedAt === undefined) return;
		try {
			const principal = await connection.authenticate();
			if (isDeepStrictEqual(principal, connection.principal)) this.#open.set(connection, monotonic());
			else this.#end(connection);
		} catch (error) {
			const isRefused = [UnauthorizedError, ForbiddenError, NotFoundError].some((kind) => error instanceof kind);
			if (isRefused || monotonic() - checkedAt > uncheckedMs) this.#end(connection);
		}
	}

	#end(connection: LongLived): void {
		this.#open.delete(connection);
		connection.end();
	}
}
