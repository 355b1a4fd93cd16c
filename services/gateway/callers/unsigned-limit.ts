/**
 * Limits the requests of a gateway whose senders are known by a signature that a service has yet to check: how many begin
 * in a second, and how many bodies are held in memory at a time. What is beyond is refused at once, whoever sends it.
 */
import { monotonic } from "#shared/clock.ts";
import { TooManyRequestsError } from "#shared/errors.ts";
import type { BegunRequest } from "./request-limits.ts";

/** Providers send a few messages for each push. */
const perSecond = 50;
const burst = 100;
/** A body has 768 KiB at most. */
const atOnce = 16;

/** The limit of one gateway. */
export class UnsignedLimit {
	#level = burst;
	#at = monotonic();
	#underWay = 0;

	/** Takes the place of a request until it ends. @throws {TooManyRequestsError} */
	begin(): BegunRequest {
		const at = monotonic();
		this.#level = Math.min(burst, this.#level + ((at - this.#at) / 1_000) * perSecond);
		this.#at = at;
		if (this.#level < 1 || this.#underWay >= atOnce)
			throw new TooManyRequestsError("Too many messages at a time, try again", "RATE_LIMIT");
		this.#level--;
		this.#underWay++;
		let isOver = false;
		return {
			work() {},
			end: () => {
				if (!isOver) this.#underWay--;
				isOver = true;
			},
		};
	}
}
