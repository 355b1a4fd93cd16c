/**
 * Bounds the memory for bodies of requests that are not answered yet. A caller has a bound, and beyond the bound of the gateway
 * those with more than their share are refused, so that others still send theirs.
 */
import { TooManyRequestsError } from "#shared/base/errors.ts";

/** The most bytes of all bodies, and of those of one caller. */
export interface BodyBounds {
	readonly all: number;
	readonly ofOne: number;
}

const defaults: BodyBounds = { all: 134_217_728, ofOne: 16_777_216 };

/** The bodies of one gateway. */
export class BodyBytes {
	readonly #bounds: BodyBounds;
	/** The bytes of each caller. There are no entries of 0. */
	readonly #held = new Map<string, number>();
	#all = 0;

	constructor(bounds = defaults) {
		this.#bounds = bounds;
	}

	/** Counts bytes that have come. @throws {TooManyRequestsError} when the caller has too many; they are not counted then. */
	take(caller: string, bytes: number): void {
		const own = (this.#held.get(caller) ?? 0) + bytes;
		const isFull = this.#all + bytes > this.#bounds.all && own > this.#bounds.all / (this.#held.size + 1);
		if (own > this.#bounds.ofOne || isFull)
			throw new TooManyRequestsError(
				"The bodies of your requests are too large together, try again",
				"BODIES_IN_FLIGHT",
			);
		this.#held.set(caller, own);
		this.#all += bytes;
	}

	leave(caller: string, bytes: number): void {
		const own = (this.#held.get(caller) ?? 0) - bytes;
		this.#all -= bytes;
		if (own > 0) this.#held.set(caller, own);
		else this.#held.delete(caller);
	}
}
