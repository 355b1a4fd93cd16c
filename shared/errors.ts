/**
 * Errors that cross the bus. The class says what the caller can do about it, `code` is the HTTP
 * status the gateway answers with, and `type` is the stable name for machines.
 */
import { Errors } from "moleculer";
import type { Failure } from "./bus/validator.ts";

export abstract class ServiceError extends Errors.MoleculerError {
	override readonly name = this.constructor.name;
}

/** The request makes no sense, in a way its schema cannot tell. */
export class BadRequestError extends ServiceError {
	constructor(message: string, type = "BAD_REQUEST") {
		super(message, 400, type);
	}
}

/** Nobody, or nobody we believe. */
export class UnauthorizedError extends ServiceError {
	constructor(message = "Authentication required", type = "UNAUTHORIZED") {
		super(message, 401, type);
	}
}

/** Known, but not allowed. */
export class ForbiddenError extends ServiceError {
	constructor(message: string, type = "FORBIDDEN") {
		super(message, 403, type);
	}
}

/** The thing addressed does not exist, or not for this principal. */
export class NotFoundError extends ServiceError {
	constructor(message: string, type = "NOT_FOUND") {
		super(message, 404, type);
	}
}

/** The request is valid but not in the present state of the thing addressed. */
export class ConflictError extends ServiceError {
	constructor(message: string, type = "CONFLICT", data: Record<string, unknown> = {}) {
		super(message, 409, type, data);
	}
}

/** The request would not fit into a message; one that says less may succeed. */
export class RequestTooLargeError extends ServiceError {
	constructor(largest: { readonly name: string; readonly bytes: number }, maxBytes: number) {
		super(
			`The request has more than ${maxBytes} bytes as JSON; "${largest.name}" alone has ${largest.bytes}`,
			413,
			"REQUEST_TOO_LARGE",
		);
	}
}

/** More would tell nobody more, and the error travels too. */
const maxFailures = 50;

/** The parameters break the contract's schema; `data` lists how. */
export class InvalidParametersError extends ServiceError {
	constructor(failures: Failure[]) {
		super("Parameters do not fit the contract", 422, "INVALID_PARAMETERS", failures.slice(0, maxFailures));
	}

	get failures(): Failure[] {
		return this.data as Failure[];
	}
}

/** The parameters fit the schema but name something that does not exist or cannot be used. */
export class UnprocessableError extends ServiceError {
	constructor(message: string, type = "UNPROCESSABLE") {
		super(message, 422, type);
	}
}

/** The caller, or what it wants to change, is busy with earlier requests; the same request may succeed in a moment. */
export class TooManyRequestsError extends ServiceError {
	constructor(message: string, type = "TOO_MANY_REQUESTS") {
		super(message, 429, type);
	}
}

/** Something this service depends on failed. */
export class UpstreamError extends ServiceError {
	constructor(message: string, type = "UPSTREAM", options?: ErrorOptions) {
		super(message, 502, type);
		if (options?.cause !== undefined) this.cause = options.cause;
	}
}

/** The result would not fit into a message; asking for less may succeed. */
export class ResultTooLargeError extends ServiceError {
	constructor(maxBytes: number) {
		super(`The result is larger than ${maxBytes} bytes: ask for less`, 502, "RESULT_TOO_LARGE");
	}
}

/** Not now; the same request may succeed later. */
export class UnavailableError extends ServiceError {
	constructor(message: string, type = "UNAVAILABLE") {
		super(message, 503, type);
	}
}

/** The answer did not come in time; whether the effect happened is unknown. */
export class TimeoutError extends ServiceError {
	constructor(message: string, type = "TIMEOUT") {
		super(message, 504, type);
	}
}

const classes = new Map<string, { prototype: ServiceError }>(
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

/**
 * Whether an error is as its class makes it, so that an answer may be made of it: one that came over the bus may say
 * anything.
 */
export function isWellFormed(error: Pick<Errors.PlainMoleculerError, "name" | "code" | "type" | "message" | "data">) {
	const { name, code, type, message, data } = error;
	const isStatus = Number.isInteger(code) && code >= 400 && code <= 599;
	if (!isStatus || typeof type !== "string" || typeof message !== "string") return false;
	return name !== InvalidParametersError.name || (Array.isArray(data) && data.every(isFailure));
}

function isFailure(value: unknown): boolean {
	return typeof value === "object" && value !== null && "type" in value && "path" in value && Array.isArray(value.path);
}

/** Restores the classes above from their wire form, so that `instanceof` holds on every node. */
export class ServiceErrorRegenerator extends Errors.Regenerator {
	override restoreCustomError(plain: Errors.PlainMoleculerError): Error {
		const known = classes.get(plain.name);
		if (!known || !isWellFormed(plain)) return undefined as unknown as Error;
		return Object.assign(Object.create(known.prototype), plain);
	}
}
