/** Chooses how many objects a page of a list has: fewer where the API cannot answer a page, because somebody has filled its objects. */
import { ApiError } from "./api-error.ts";

/** The objects of a page, unless they are large. */
const usual = 500;
/** The divisors after a page that had too many bytes, and after one that did not come in time. */
const [afterTooLarge, afterLate] = [4, 16];
/** The pages of a smaller size that come one after the other before a larger one is tried again. */
const untilLarger = 4;

/** The page size of one list. */
export class PageSize {
	#objects = usual;
	#answered = 0;
	/** An API that is away answers no smaller page either. */
	#hasBeenLate = false;

	get objects(): number {
		return this.#objects;
	}

	/** A page has been answered. */
	answered(): void {
		if (++this.#answered % untilLarger === 0) this.#objects = Math.min(usual, this.#objects * 2);
	}

	/** A page has failed. Returns whether a smaller one may be answered. */
	failed(error: unknown): boolean {
		const divisor = this.#divisorAfter(error);
		if (divisor === undefined || this.#objects === 1) return false;
		this.#answered = 0;
		this.#objects = Math.max(1, Math.floor(this.#objects / divisor));
		return true;
	}

	#divisorAfter(error: unknown): number | undefined {
		if (isTooLarge(error)) return afterTooLarge;
		if (!(error instanceof ApiError) || error.reason !== "ClientTimeout" || this.#hasBeenLate) return undefined;
		this.#hasBeenLate = true;
		return afterLate;
	}
}

/** Whether an answer had more bytes than are read. */
export function isTooLarge(error: unknown): boolean {
	return error instanceof ApiError && error.reason === "AnswerTooLarge";
}
