/**
 * Bounds the memory for bodies of requests that are not answered yet. A caller has a bound, and beyond the bound of the gateway
 * those with more than their share are refused, so that others still send theirs.
 */
import { bound } from "#shared/base/bounds.ts";
import { Tally } from "#shared/base/concurrency/tally.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";

/** The most bytes of all bodies, and of those of one caller. */
interface BodyBounds {
	readonly all: number;
	readonly ofOne: number;
}

const defaults: BodyBounds = { all: bound.bodyBytes, ofOne: bound.bodyBytesOfOne };

/** It counts the bytes of one gateway; what a request takes, it gives back at its end. */
export class BodyBytes {
	readonly #bounds: BodyBounds;
	/** The bytes of each caller. */
	readonly #held = new Tally();
	#all = 0;

	constructor(bounds = defaults) {
		this.#bounds = bounds;
	}

	/** Counts bytes that have come. @throws {TooManyRequestsError} when the caller has too many; they are not counted then. */
	take(caller: string, bytes: number): void {
		const own = this.#held.of(caller) + bytes;
		const isFull = this.#all + bytes > this.#bounds.all && own > this.#bounds.all / (this.#held.size + 1);
		if (own > this.#bounds.ofOne || isFull)
			throw new TooManyRequestsError(
				"The bodies of your requests are too large together, try again",
				"BODIES_IN_FLIGHT",
			);
		this.#count(caller, bytes);
	}

	leave(caller: string, bytes: number): void {
		this.#count(caller, -bytes);
	}

	#count(caller: string, bytes: number): void {
		this.#held.add(caller, bytes);
		this.#all += bytes;
	}
}
