/** The only place that knows the bodies of failures: `ErrorResponse`, and the list of a 422. */
import { InvalidParametersError, isWellFormed, ServiceError } from "#shared/errors.ts";
import type { Answer } from "./answer.ts";
import { problemItem, type Problem } from "./problem-items.ts";

/** A failure of the request as HTTP, before it means anything to a service. Its body is made once. */
export class HttpError extends Error {
	override readonly name = "HttpError";
	readonly answer: Answer;

	/** @param headers Names and values in turn. */
	constructor(status: number, detail: string, headers: readonly string[] = []) {
		super(detail);
		this.answer = { status, body: JSON.stringify({ detail }), headers };
	}
}

/** Parameters or body do not fit the contract. */
export class InvalidRequestError extends Error {
	override readonly name = "InvalidRequestError";
	readonly problems: readonly Problem[];

	constructor(problems: readonly Problem[]) {
		super("The request does not fit the contract");
		this.problems = problems;
	}
}

/** More would tell nobody more, and a hostile body could make the answer far larger than itself. */
const maxProblems = 50;

const retryAfter = ["Retry-After", "1"];
const challenge = ["WWW-Authenticate", "Bearer"];

export const notFound = new HttpError(404, "Not Found");

const internalError = new HttpError(500, "Internal Server Error").answer;
const unavailable = new HttpError(503, "The service is not available at the moment", retryAfter).answer;
const timedOut = new HttpError(504, "The answer did not come in time; whether the request took effect is unknown")
	.answer;

/** How the bus itself fails, by the type its errors carry on every node. */
const busFailures = new Map<unknown, Answer>([
	["SERVICE_NOT_FOUND", unavailable],
	["SERVICE_NOT_AVAILABLE", unavailable],
	["REQUEST_REJECTED", unavailable],
	["QUEUE_FULL", unavailable],
	["BAD_GATEWAY", unavailable],
	["REQUEST_TIMEOUT", timedOut],
	["REQUEST_SKIPPED", timedOut],
]);

/** The answer for whatever was thrown; undefined when nobody foresaw it, and then only {@link unforeseen} may leave. */
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

/** Says nothing about what happened; the log does. */
export const unforeseen: Answer = internalError;

function deliberate({ code, type, message }: ServiceError): Answer {
	const headers = [
		...(/^\w{1,64}$/.test(type) ? ["X-Error-Code", type] : []),
		...(code === 401 ? challenge : []),
		...(code === 429 || code === 503 ? retryAfter : []),
	];
	return { status: code, body: JSON.stringify({ detail: message }), headers };
}

function invalid(problems: readonly Problem[]): Answer {
	return { status: 422, body: JSON.stringify({ detail: problems.slice(0, maxProblems).map(problemItem) }) };
}
