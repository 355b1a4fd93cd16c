/** Decides whether a call that failed is made again by itself, and after which wait. */
import { monotonic } from "#shared/base/clock.ts";
import type { ApiError } from "./api-error.ts";
import type { CallKind } from "./call-pace.ts";

/** The most times that a call is made, whatever the API answers. */
const maxAttempts = 5;
/** The wait for an API that does not say how long it is busy, in milliseconds. */
const busyMs = 1_000;

/** The repetitions of one call. */
export class Repetitions {
	readonly #kind: CallKind;
	readonly #end: number;
	#attempts = 0;
	#isRenewed = false;

	/** @param ms The time of the call with all its repetitions. */
	constructor(kind: CallKind, ms: number) {
		this.#kind = kind;
		this.#end = monotonic() + ms;
	}

	/** Returns the wait in milliseconds; undefined when the call has failed for good. */
	waitAfter(failure: ApiError): number | undefined {
		const waitMs = this.#waitFor(failure);
		if (waitMs === undefined || ++this.#attempts >= maxAttempts) return undefined;
		return monotonic() + waitMs < this.#end ? waitMs : undefined;
	}

	/**
	 * An API that does not know the caller has not looked at the request, and 429 says that it has done nothing. A write that is answered
	 * with 503 may have been done, so that its caller has to look first.
	 */
	#waitFor({ status, retryAfterMs }: ApiError): number | undefined {
		if (status === 401 && !this.#isRenewed) {
			this.#isRenewed = true;
			return 0;
		}
		if (status === 429) return retryAfterMs ?? busyMs;
		return status === 503 && this.#kind === "read" ? retryAfterMs : undefined;
	}
}
