/**
 * Errors that cross the bus. The class says what the caller can do about the error, `code` is the HTTP status of the
 * gateway's answer, and `type` is the stable name for programs.
 */
import type { Failure } from "./schema/validator.ts";

/**
 * The base of all errors that a service may send to a caller. Its message is a sentence for the caller and never holds
 * a secret. It has the members that the bus carries, and not the framework's class: session agents load this module, and the framework
 * is most of what they would load with it.
 */
export abstract class ServiceError extends Error {
	override readonly name = this.constructor.name;
	/** The HTTP status of the gateway's answer. */
	readonly code: number;
	/** The stable name for programs. */
	readonly type: string;
	readonly data: unknown;
	/** The framework repeats no call that has failed with it. */
	readonly retryable = false;

	constructor(message: string, code: number, type: string, data?: unknown) {
		super(message);
		this.code = code;
		this.type = type;
		this.data = data;
	}
}

/** The request is wrong in a way that its schema cannot express. */
export class BadRequestError extends ServiceError {
	constructor(message: string, type = "BAD_REQUEST") {
		super(message, 400, type);
	}
}

/** The request has no credential, or one that cannot be verified. */
export class UnauthorizedError extends ServiceError {
	constructor(message = "Authentication required", type = "UNAUTHORIZED") {
		super(message, 401, type);
	}
}

/** The caller is known but may not do this. */
export class ForbiddenError extends ServiceError {
	constructor(message: string, type = "FORBIDDEN") {
		super(message, 403, type);
	}
}

/** The addressed object does not exist, or this principal may not know that it exists. */
export class NotFoundError extends ServiceError {
	constructor(message: string, type = "NOT_FOUND") {
		super(message, 404, type);
	}
}

/** The request is valid but conflicts with the present state of the object; `data` says how. */
export class ConflictError extends ServiceError {
	constructor(message: string, type = "CONFLICT", data: Record<string, unknown> = {}) {
		super(message, 409, type, data);
	}
}

/** The request does not fit into a message of the bus; a smaller one may succeed. */
export class RequestTooLargeError extends ServiceError {
	constructor(largest: { readonly name: string; readonly bytes: number }, maxBytes: number) {
		super(
			`The request has more than ${maxBytes} bytes as JSON; "${largest.name}" alone has ${largest.bytes}`,
			413,
			"REQUEST_TOO_LARGE",
		);
	}
}

/** The number of failures in one error. More would not help the caller, and the error has to fit into a message. */
const maxFailures = 50;

/** The parameters violate the contract's schema; `data` lists the violations. */
export class InvalidParametersError extends ServiceError {
	constructor(failures: Failure[]) {
		super("Parameters do not fit the contract", 422, "INVALID_PARAMETERS", failures.slice(0, maxFailures));
	}

	get failures(): Failure[] {
		return this.data as Failure[];
	}
}

/**
 * The parameters fit the schema but name an object that does not exist or cannot be used. With `errors`, the answer's
 * `detail` is an object with that list and not the sentence.
 */
export class UnprocessableError extends ServiceError {
	constructor(message: string, type = "UNPROCESSABLE", errors?: readonly string[]) {
		super(message, 422, type, errors && { errors: errors.slice(0, maxFailures) });
	}

	get errors(): readonly string[] | undefined {
		const data: unknown = this.data;
		const listed = typeof data === "object" && data !== null && "errors" in data ? data.errors : undefined;
		return Array.isArray(listed) && listed.every((error) => typeof error === "string") ? listed : undefined;
	}
}

/** The caller, or the object it wants to change, is busy with earlier requests; the same request may succeed soon. */
export class TooManyRequestsError extends ServiceError {
	constructor(message: string, type = "TOO_MANY_REQUESTS") {
		super(message, 429, type);
	}
}

/** A program or a server that this service depends on has failed. */
export class UpstreamError extends ServiceError {
	constructor(message: string, type = "UPSTREAM", options?: ErrorOptions) {
		super(message, 502, type);
		if (options?.cause !== undefined) this.cause = options.cause;
	}
}

/** The result does not fit into a message of the bus; a request for less may succeed. */
export class ResultTooLargeError extends ServiceError {
	constructor(maxBytes: number) {
		super(`The result is larger than ${maxBytes} bytes: ask for less`, 502, "RESULT_TOO_LARGE");
	}
}

/** The service cannot do this at the moment; the same request may succeed later. */
export class UnavailableError extends ServiceError {
	constructor(message: string, type = "UNAVAILABLE") {
		super(message, 503, type);
	}
}

/** The answer did not come in time; it is unknown whether the request took effect. */
export class TimeoutError extends ServiceError {
	constructor(message: string, type = "TIMEOUT") {
		super(message, 504, type);
	}
}

/** The classes above by their names. */
export const errorClasses: ReadonlyMap<string, { readonly prototype: ServiceError }> = new Map(
	[
		BadRequestError,
		UnauthorizedError,
		ForbiddenError,
		NotFoundError,
		ConflictError,
		RequestTooLargeError,
		InvalidParametersError,
		UnprocessableError,
		TooManyRequestsError,
		UpstreamError,
		ResultTooLargeError,
		UnavailableError,
		TimeoutError,
	].map((c) => [c.name, c]),
);

/** Passes over a failure that somebody foresaw, and throws every other error. */
export function unlessForeseen(error: unknown): undefined {
	if (!(error instanceof ServiceError)) throw error;
}

/** The members of an error that came over the bus, which are not checked. */
interface PlainError {
	readonly name: string;
	readonly code: number;
	readonly type: string;
	readonly message: string;
	readonly data?: unknown;
}

/**
 * Whether an error has the members that its class gives it. An error that came over the bus may hold anything, and only
 * a well-formed one may become an answer.
 */
export function isWellFormed({ name, code, type, message, data }: PlainError): boolean {
	const isStatus = Number.isInteger(code) && code >= 400 && code <= 599;
	if (!isStatus || typeof type !== "string" || typeof message !== "string") return false;
	return name !== InvalidParametersError.name || (Array.isArray(data) && data.every(isFailure));
}

function isFailure(value: unknown): boolean {
	return typeof value === "object" && value !== null && "type" in value && "path" in value && Array.isArray(value.path);
}
