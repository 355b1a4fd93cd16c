/** Why a model gave no answer, in the provider's own words, and whether another attempt may help. */
import { now } from "#shared/base/clock.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";

export class ModelFailure extends Error {
	override readonly name = "ModelFailure";
	readonly isRetryable: boolean;
	readonly retryAfterMs: number | undefined;
	/** The conversation is longer than the model's window. */
	readonly isTooLong: boolean;

	constructor(sentence: string, { isRetryable = false, retryAfterMs, isTooLong = false }: FailureTraits = {}) {
		super(sentence);
		this.isRetryable = isRetryable;
		this.retryAfterMs = retryAfterMs;
		this.isTooLong = isTooLong;
	}
}

/** The known properties of a failure beside its sentence. */
export interface FailureTraits {
	isRetryable?: boolean;
	retryAfterMs?: number | undefined;
	isTooLong?: boolean;
}

const maxWords = 1_000;

/** The sentences by which providers and local servers report it. */
const tooLong = /context.{0,20}(length|window|size|exceed)|maximum context|prompt is too long|too many tokens/i;

/**
 * Makes a failure of what a library of a wire format threw or streamed.
 * @param secret It is removed from the sentence, whatever the provider repeats.
 */
export function modelFailure(error: unknown, secret: string): ModelFailure {
	if (error instanceof ModelFailure) return error;
	const { statusCode, responseHeaders, responseBody, message, isRetryable } = isJsonObject(error) ? error : {};
	const words =
		[message, responseBody, typeof error === "string" ? error : undefined].find(isSaid) ?? "no reason given";
	const said = words.trim().replaceAll(secret, "…").slice(0, maxWords);
	if (typeof statusCode !== "number") {
		// A broken connection or an invalid stream does not predict the next attempt, so it may be repeated.
		return new ModelFailure(`The model did not answer: ${said}`, { isRetryable: isRetryable !== false });
	}
	return new ModelFailure(`The model's provider answered ${statusCode}: ${said}`, {
		isRetryable: isRetryable === true,
		retryAfterMs: retryAfter(isJsonObject(responseHeaders) ? responseHeaders["retry-after"] : undefined),
		isTooLong: statusCode >= 400 && statusCode < 500 && tooLong.test(said),
	});
}

/** The header holds seconds or a date (RFC 9110, section 10.2.3). */
function retryAfter(header: unknown): number | undefined {
	if (typeof header !== "string") return undefined;
	const seconds = Number(header);
	const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now();
	return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function isSaid(value: unknown): value is string {
	return typeof value === "string" && value.trim() !== "";
}
