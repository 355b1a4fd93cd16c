/** Gathers work per key in this process: requests that arrive while others are under way are done together. */
import { type KeyedMutex, refuseAbandoned } from "../record/keyed-mutex.ts";

/** The most requests of one run. */
const maxGathered = 32;

interface Waiting<Request, Result> {
	readonly request: Request;
	readonly deadline: number | undefined;
	readonly done: (result: Result) => void;
	readonly fail: (error: unknown) => void;
}

/** The gathered work of one kind. Its runs take turns with the other work of their key. */
export class GatheredWork<Request, Result> {
	readonly #turns: KeyedMutex;
	readonly #work: (key: string, requests: readonly Request[]) => Promise<readonly Result[]>;
	readonly #waiting = new Map<string, Waiting<Request, Result>[]>();

	/** @param work Does the requests of one key; resolves to their results in the same order. */
	constructor(turns: KeyedMutex, work: (key: string, requests: readonly Request[]) => Promise<readonly Result[]>) {
		this.#turns = turns;
		this.#work = work;
	}

	/**
	 * Resolves to the result of the request; rejects with the error of the run that it was part of.
	 * @param deadline The time after which nobody waits for the result, in milliseconds since 1970; default: none.
	 * @throws {TimeoutError} when the turn comes after the deadline: the request is not begun then.
	 */
	run(key: string, request: Request, deadline?: number): Promise<Result> {
		const result = new Promise<Result>((done, fail) => {
			const waiting = this.#waiting.get(key);
			const mine = { request, deadline, done, fail };
			if (waiting) waiting.push(mine);
			else this.#waiting.set(key, [mine]);
		});
		if (this.#waiting.get(key)?.length === 1) void this.#turns.run(key, () => this.#runNext(key));
		return result;
	}

	async #runNext(key: string): Promise<void> {
		const waiting = this.#waiting.get(key) ?? [];
		const gathered = waiting.splice(0, maxGathered).filter(isAwaited);
		if (waiting.length === 0) this.#waiting.delete(key);
		else void this.#turns.run(key, () => this.#runNext(key));
		if (gathered.length === 0) return;
		try {
			const requests = gathered.map(({ request }) => request);
			const results = await this.#work(key, requests);
			for (const [index, { done }] of gathered.entries()) done(results[index] as Result);
		} catch (error) {
			for (const { fail } of gathered) fail(error);
		}
	}
}

/** Whether the caller still waits; one that has gone is told so. */
function isAwaited({ deadline, fail }: Pick<Waiting<unknown, unknown>, "deadline" | "fail">): boolean {
	try {
		refuseAbandoned(deadline);
		return true;
	} catch (error) {
		fail(error);
		return false;
	}
}
