/** Gathers work per key in this process: requests that arrive while others are under way are done together. */
import { isLate } from "../clock.ts";
import { TimeoutError } from "../errors.ts";
import { KeyedQueues } from "./keyed-queues.ts";

interface Waiting<Request, Result> {
	readonly request: Request;
	readonly deadline: number | undefined;
	readonly done: (result: Result) => void;
	readonly fail: (error: unknown) => void;
}

export interface Gathering {
	/** The most requests of one run; default no bound. */
	readonly most?: number;
	/** The runs take turns with the other works of these queues; default: they are alone. */
	readonly turns?: KeyedQueues;
}

/**
 * The gathered work of one kind. A request is part of a run that begins after it, so work without results that does
 * everything there is to do is shared by those who request it before it begins.
 */
export class GatheredWork<Request, Result> {
	readonly #turns: KeyedQueues;
	readonly #most: number;
	readonly #work: (key: string, requests: readonly Request[]) => Promise<readonly Result[] | void>;
	readonly #waiting = new Map<string, Waiting<Request, Result>[]>();

	/** @param work Does the requests of one key; resolves to their results in the same order, if they have any. */
	constructor(
		work: (key: string, requests: readonly Request[]) => Promise<readonly Result[] | void>,
		{ most = Infinity, turns = new KeyedQueues() }: Gathering = {},
	) {
		this.#work = work;
		this.#most = most;
		this.#turns = turns;
	}

	/** The count of the requests of a key that have not begun. */
	waiting(key: string): number {
		return this.#waiting.get(key)?.length ?? 0;
	}

	/**
	 * Resolves to the result of the request; rejects with the error of the run that it was part of.
	 * @param deadline The time after which nobody waits for the result, in milliseconds since 1970; default: none.
	 * @throws {TimeoutError} when the turn comes after the deadline: the request is not begun then.
	 */
	run(key: string, request: Request, deadline?: number): Promise<Result> {
		const { promise, resolve: done, reject: fail } = Promise.withResolvers<Result>();
		const waiting = this.#waiting.get(key) ?? [];
		this.#waiting.set(key, waiting);
		if (waiting.push({ request, deadline, done, fail }) === 1) void this.#turns.run(key, () => this.#runNext(key));
		return promise;
	}

	async #runNext(key: string): Promise<void> {
		const waiting = this.#waiting.get(key) ?? [];
		const gathered = waiting.splice(0, this.#most).filter(isAwaited);
		if (waiting.length === 0) this.#waiting.delete(key);
		else void this.#turns.run(key, () => this.#runNext(key));
		if (gathered.length === 0) return;
		try {
			const requests = gathered.map(({ request }) => request);
			const results = await this.#work(key, requests);
			for (const [index, { done }] of gathered.entries()) done(results?.[index] as Result);
		} catch (error) {
			for (const { fail } of gathered) fail(error);
		}
	}
}

/** Whether the caller still waits; one that has gone is told so. */
function isAwaited({ deadline, fail }: Pick<Waiting<unknown, unknown>, "deadline" | "fail">): boolean {
	const isGone = isLate(deadline);
	if (isGone) fail(new TimeoutError("The turn of this request came too late"));
	return !isGone;
}
