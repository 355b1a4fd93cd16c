/**
 * Turns what a provider (a git host, a tracker) answered into the platform's errors: one table for all adapters. The
 * sentences name the provider and what was asked; they hold no credential and no more than a short text of the answer.
 */
import {
	ConflictError,
	NotFoundError,
	ServiceError,
	TimeoutError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
	UpstreamError,
} from "#shared/base/errors.ts";
import { oneLine } from "#shared/base/one-line.ts";
import { isBusy, type PacedAnswer, waitOf } from "./provider-pace.ts";

export interface ProviderAsk {
	/** The provider as people know it, e.g. `GitHub "work"`. */
	readonly provider: string;
	/** The question as the end of a sentence: `the branches of org/repo`. */
	readonly asked: string;
	/** A doubt about the address, as the end of a sentence; absent: nothing. */
	readonly hint?: string | undefined;
	/** Texts that must not be repeated, whatever the provider says. */
	readonly secrets?: readonly string[];
}

export interface Refusal extends Pick<PacedAnswer, "status" | "headers"> {
	/** The provider's own sentence. */
	readonly message?: string | undefined;
}

/** The types of errors about providers; `X-Error-Code` of the answer. */
export const providerRefused = "PROVIDER_REFUSED";
export const providerBusy = "PROVIDER_BUSY";
export const providerNotFound = "PROVIDER_NOT_FOUND";
export const providerConflict = "PROVIDER_CONFLICT";
export const providerInvalid = "PROVIDER_INVALID";
export const providerFailed = "PROVIDER_FAILED";
export const providerMalformed = "PROVIDER_MALFORMED";

const longestMessage = 300;

/**
 * Returns the error for an answer that is no success. An operation for which a status means something of its own (405,
 * 409, 422 of a merge) looks at the status first.
 */
export function refusalOf(ask: ProviderAsk, refusal: Refusal): ServiceError {
	const { status, headers, message = "" } = refusal;
	const { provider, asked } = ask;
	const hint = hintOf(ask);
	if (isBusy({ status, headers, body: message })) return busy(ask, waitOf({ status, headers }));
	const said = quoted(ask, message);
	switch (status) {
		case 401:
		case 403:
			return new UnauthorizedError(`${provider} refused the credential for ${asked}${hint}`, providerRefused);
		case 404:
		case 410:
			return new NotFoundError(
				`${provider} does not know ${asked}, or hides it from this credential${hint}`,
				providerNotFound,
			);
		case 405:
		case 409:
			return new ConflictError(`${provider} refused ${asked}${said}`, providerConflict);
		case 422:
			return new UnprocessableError(`${provider} did not accept ${asked}${said}`, providerInvalid);
		default:
			return new UpstreamError(`${provider} answered with the status ${status} to ${asked}${hint}`, providerFailed);
	}
}

/** Returns the error for a failure on the way to the provider, or for an answer that cannot be read. */
export function failureOf(ask: ProviderAsk, error: unknown): ServiceError {
	const cause = causeOf(error);
	const { provider, asked } = ask;
	if (!cause) return malformed(ask, { cause: error });
	if (isProviderError(cause)) return cause;
	const sentence = `${provider} did not answer ${asked}: ${lowerFirst(cleaned(ask, cause.message))}`;
	if (cause instanceof TimeoutError) return new TimeoutError(sentence, cause.type);
	if (cause instanceof UnprocessableError) return new UnprocessableError(sentence, cause.type);
	return new UpstreamError(sentence, cause.type, { cause });
}

/** The error for an answer that does not have the form of the provider's description. */
export function malformed(ask: ProviderAsk, options?: ErrorOptions): UpstreamError {
	const { provider, asked } = ask;
	return new UpstreamError(
		`${provider} sent an answer to ${asked} that cannot be read${hintOf(ask)}`,
		providerMalformed,
		options,
	);
}

/** Returns a text of the provider for people: one line, without secrets, at most 300 characters. */
export function cleaned({ secrets = [] }: Pick<ProviderAsk, "secrets">, text: string): string {
	// The beginning is enough; replacing in a text of any length would take long.
	let shown = text.slice(0, 4 * longestMessage);
	for (const secret of secrets) if (secret !== "") shown = shown.replaceAll(secret, "***");
	return oneLine(shown, longestMessage);
}

function hintOf({ hint = "" }: ProviderAsk): string {
	return hint;
}

function quoted(ask: ProviderAsk, message: string): string {
	const text = cleaned(ask, message);
	return text === "" ? "" : `: ${JSON.stringify(text)}`;
}

function busy({ provider, asked }: ProviderAsk, waitMs: number | undefined): UnavailableError {
	const when = waitMs === undefined ? "later" : `in ${Math.max(1, Math.ceil(waitMs / 1_000))} s`;
	return new UnavailableError(`${provider} has too many requests to answer ${asked}; try again ${when}`, providerBusy);
}

/** Clients of providers wrap what their `fetch` threw. */
function causeOf(error: unknown): ServiceError | undefined {
	let cause = error;
	for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
		if (cause instanceof ServiceError) return cause;
		cause = cause.cause;
	}
	return undefined;
}

function isProviderError({ type }: ServiceError): boolean {
	return type.startsWith("PROVIDER_") && type !== "PROVIDER_ELSEWHERE" && type !== "PROVIDER_BUDGET";
}

function lowerFirst(text: string): string {
	return text.slice(0, 1).toLowerCase() + text.slice(1);
}
