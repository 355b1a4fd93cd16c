/** Why a model gave no answer: a sentence for the user, with the provider's own words, and whether to ask again. */
import { now } from "#shared/clock.ts";
import { isJsonObject } from "../../io/json-object.ts";

export class ModelFailure extends Error {
	override readonly name = "ModelFailure";
	readonly isRetryable: boolean;
	/** How long the provider asks to wait. */
	readonly retryAfterMs: number | undefined;
	/** The conversation is longer than the model reads. */
	readonly isTooLong: boolean;

	constructor(sentence: string, { isRetryable = false, retryAfterMs, isTooLong = false }: FailureTraits = {}) {
		super(sentence);
		this.isRetryable = isRetryable;
		this.retryAfterMs = retryAfterMs;
		this.isTooLong = isTooLong;
	}
}

export interface FailureTraits {
	isRetryable?: boolean;
	retryAfterMs?: number | undefined;
	isTooLong?: boolean;
}

const maxWords = 1_000;

/** As providers and local servers tell it. */
const tooLong = /context.{0,20}(length|window|size|exceed)|maximum context|prompt is too long|too many tokens/i;

/**
 * What a library of a wire format threw or streamed.
 * @param secret Never repeated, whatever the provider says.
 */
export function modelFailure(error: unknown, secret: string): ModelFailure {
	if (error instanceof ModelFailure) return error;
	const { statusCode, responseHeaders, responseBody, message, isRetryable } = isJsonObject(error) ? error : {};
	const words =
		[message, responseBody, typeof error === "string" ? error : undefined].find(isSaid) ?? "no reason given";
	const said = words.trim().replaceAll(secret, "…").slice(0, maxWords);
	if (typeof statusCode !== "number") {
		// Neither a broken connection nor a stream that makes no sense says anything about the next attempt.
		return new ModelFailure(`The model did not answer: ${said}`, { isRetryable: isRetryable !== false });
	}
	return new ModelFailure(`The model's provider answered ${statusCode}: ${said}`, {
		isRetryable: isRetryable === true,
		retryAfterMs: retryAfter(isJsonObject(responseHeaders) ? responseHeaders["retry-after"] : undefined),
		isTooLong: statusCode >= 400 && statusCode < 500 && tooLong.test(said),
	});
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfter(header: unknown): number | undefined {
	if (typeof header !== "string") return undefined;
	const seconds = Number(header);
	const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now();
	return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function isSaid(value: unknown): value is string {
	return typeof value === "string" && value.trim() !== "";
}
