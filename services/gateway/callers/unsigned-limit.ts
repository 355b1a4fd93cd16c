/**
 * Limits the requests of a gateway whose senders are known by a signature that a service has yet to check: how many bodies
 * are awaited at a time, and how many requests are worked on, in a second and at a time. Bodies that do not come keep nobody
 * out: beyond the bound, the oldest request of the address that has most waiting gives way to a new one.
 */
import { monotonic } from "#shared/clock.ts";
import { TooManyRequestsError } from "#shared/errors.ts";
import type { BegunRequest } from "./request-limits.ts";

/** Providers send a few messages for each push. */
const perSecond = 50;
const burst = 100;
/** A body has 768 KiB at most. */
const atOnce = 16;
const mostWaiting = 32;

/** A request whose body is awaited. */
interface Waiting {
	readonly address: string;
	/** Answers the request with an error. */
	readonly cut: (error: Error) => void;
}

/** The limit of one gateway. */
export class UnsignedLimit {
	#level = burst;
	#at = monotonic();
	#underWay = 0;
	/** The requests whose bodies are awaited, in the order in which they came. */
	readonly #waiting = new Set<Waiting>();

	/** Begins a request, which waits for its body. @param cut Answers it with an error when it has to give way. */
	begin(address: string, cut: (error: Error) => void): BegunRequest {
		if (this.#waiting.size >= mostWaiting) this.#cutOne();
		const waiting = { address, cut };
		this.#waiting.add(waiting);
		let isWorking = false;
		return {
			work: () => {
				if (!this.#waiting.has(waiting)) throw tooMany();
				this.#work();
				isWorking = this.#waiting.delete(waiting);
			},
			// A message has 768 KiB at most, and there are few of them at a time.
			received: () => {},
			end: () => {
				this.#waiting.delete(waiting);
				if (isWorking) this.#underWay--;
				isWorking = false;
			},
		};
	}

	/** @throws {TooManyRequestsError} when too many are worked on, or have come in the last second. */
	#work(): void {
		const at = monotonic();
		this.#level = Math.min(burst, this.#level + ((at - this.#at) / 1_000) * perSecond);
		this.#at = at;
		if (this.#level < 1 || this.#underWay >= atOnce) throw tooMany();
		this.#level--;
		this.#underWay++;
	}

	#cutOne(): void {
		const byAddress = Map.groupBy(this.#waiting, ({ address }) => address);
		let most: readonly Waiting[] = [];
		for (const own of byAddress.values()) if (own.length > most.length) most = own;
		const [oldest] = most;
		if (!oldest) return;
		this.#waiting.delete(oldest);
		oldest.cut(tooMany());
	}
}

function tooMany(): TooManyRequestsError {
	return new TooManyRequestsError("Too many messages at a time, try again", "RATE_LIMIT");
}
