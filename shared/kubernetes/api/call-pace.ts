/** Spaces the calls of one process, so that it is no burden to the API that others use too: writes first, then in their order. */
import { after, type Timer } from "#shared/base/clock.ts";
import { type Rate, TokenBucket } from "#shared/base/concurrency/token-bucket.ts";
import { noAnswer } from "./api-error.ts";

export type CallKind = "write" | "read";

const usualRate: Rate = { perSecond: 100, burst: 200 };
/** The most calls of each kind that wait; their deadlines end them before so many could have their turn. */
const maxWaiting = 2_000;

/** The turns of calls. */
export class CallPace {
	readonly #rate: Rate;
	readonly #bucket: TokenBucket;
	readonly #waiting: Record<CallKind, Set<() => void>> = { write: new Set(), read: new Set() };
	#timer: Timer | undefined;

	/** @param rate Default: 100 calls a second, and 200 at once after a pause. */
	constructor(rate: Rate = usualRate) {
		this.#rate = rate;
		this.#bucket = new TokenBucket(rate);
	}

	/**
	 * Resolves when the call may be made, and when the signal aborts. @throws {ApiError} `TooManyCalls` when too many wait already.
	 */
	async turn(kind: CallKind, signal: AbortSignal): Promise<void> {
		const { write, read } = this.#waiting;
		if (write.size === 0 && (kind === "write" || read.size === 0) && this.#bucket.level >= 1)
			return this.#bucket.spend();
		const queue = this.#waiting[kind];
		if (queue.size >= maxWaiting)
			throw noAnswer("TooManyCalls", `${maxWaiting} calls wait for the cluster's API already`);
		const { promise, resolve } = Promise.withResolvers<void>();
		queue.add(resolve);
		signal.addEventListener("abort", () => resolve(), { once: true });
		if (signal.aborted) resolve();
		this.#goOn();
		await promise.finally(() => queue.delete(resolve));
	}

	#goOn(): void {
		if (this.#timer) return;
		const missing = Math.max(0, 1 - this.#bucket.level);
		this.#timer = after(Math.ceil((missing / this.#rate.perSecond) * 1_000), () => {
			this.#timer = undefined;
			while (this.#bucket.level >= 1 && this.#letGo()) this.#bucket.spend();
			if (this.#waiting.write.size + this.#waiting.read.size > 0) this.#goOn();
		});
	}

	/** Lets the next call go; false when none waits. */
	#letGo(): boolean {
		const { write, read } = this.#waiting;
		const queue = write.size > 0 ? write : read;
		const [next] = queue;
		if (!next) return false;
		queue.delete(next);
		next();
		return true;
	}
}
