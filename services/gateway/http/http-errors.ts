/** Makes the bodies of failures: `ErrorResponse`, and the list of a 422. No other module does. */
import { InvalidParametersError, isWellFormed, ServiceError, UnprocessableError } from "#shared/base/errors.ts";
import type { Answer } from "./answer.ts";
import { problemItem, type Problem } from "./problem-items.ts";

/** A failure of the HTTP request itself, before a service sees it. Its body is made once. */
export class HttpError extends Error {
	override readonly name = "HttpError";
	readonly answer: Answer;

	/** @param headers Alternating names and values. */
	constructor(status: number, detail: string, headers: readonly string[] = []) {
		super(detail);
		this.answer = { status, body: JSON.stringify({ detail }), headers };
	}
}

/** The parameters or the body do not fit the contract. */
export class InvalidRequestError extends Error {
	override readonly name = "InvalidRequestError";
	readonly problems: readonly Problem[];

	constructor(problems: readonly Problem[]) {
		super("The request does not fit the contract");
		this.problems = problems;
	}
}

/**
 * The most items of a 422. More would not help the client, and a hostile body could make the answer far larger than
 * itself.
 */
const maxProblems = 50;

const retryAfter = ["Retry-After", "1"];
const challenge = ["WWW-Authenticate", "Bearer"];

/** Returns the answer to a path that no route has; its code tells it from an object that does not exist. */
export function unknownPath(detail: string): HttpError {
	return new HttpError(404, detail, ["X-Error-Code", "UNKNOWN_PATH"]);
}

const internalError = new HttpError(500, "Internal Server Error").answer;
const unavailable = new HttpError(503, "The service is not available at the moment", retryAfter).answer;
const timedOut = new HttpError(504, "The answer did not come in time; whether the request took effect is unknown")
	.answer;

/** The answers to failures of the bus, by the type of its errors on every node. */
const busFailures = new Map<unknown, Answer>([
	["SERVICE_NOT_FOUND", unavailable],
	["SERVICE_NOT_AVAILABLE", unavailable],
	["REQUEST_REJECTED", unavailable],
	["QUEUE_FULL", unavailable],
	["BAD_GATEWAY", unavailable],
	["REQUEST_TIMEOUT", timedOut],
	["REQUEST_SKIPPED", timedOut],
]);

/** Returns the answer to a thrown value; undefined for an unexpected one, for which {@link unforeseen} is sent. */
export function failureAnswer(error: unknown, placeOf: (parameter: string) => string): Answer | undefined {
	if (error instanceof HttpError) return error.answer;
	if (error instanceof InvalidRequestError) return invalid(error.problems);
	if (error instanceof ServiceError && !isWellFormed(error)) return undefined;
	if (error instanceof InvalidParametersError) {
		return invalid(
			error.failures.map((failure) => ({ loc: [placeOf(String(failure.path[0])), ...failure.path], failure })),
		);
	}
	if (error instanceof ServiceError) return deliberate(error);
	return error instanceof Error && "type" in error ? busFailures.get(error.type) : undefined;
}

/** The answer to an unexpected error. It says nothing about the cause, which is in the log. */
export const unforeseen: Answer = internalError;

function deliberate(error: ServiceError): Answer {
	const { code, type, message } = error;
	const errors = error instanceof UnprocessableError ? error.errors : undefined;
	const headers = [
		...(/^\w{1,64}$/.test(type) ? ["X-Error-Code", type] : []),
		...(code === 401 ? challenge : []),
		...(code === 429 || code === 503 ? retryAfter : []),
	];
	return { status: code, body: JSON.stringify({ detail: errors ? { errors } : message }), headers };
}

function invalid(problems: readonly Problem[]): Answer {
	return { status: 422, body: JSON.stringify({ detail: problems.slice(0, maxProblems).map(problemItem) }) };
}
