/**
 * Translates failures of the MongoDB driver for the caller: whether a write may have happened, and which key it
 * collided with.
 */
import { MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from "mongodb";
import { type ServiceError, TimeoutError, UnavailableError, UpstreamError } from "#shared/base/errors.ts";
import { declaredIndex } from "./mongodb-index-name.ts";
import { refusalSentence } from "./mongodb-refusals.ts";
import { unreachableReason } from "./mongodb-unreachable.ts";

export type Intent = "read" | "write";

/** The store has not answered within the time of one operation, which may still be done. */
export class NoAnswerError extends Error {
	override readonly name = "NoAnswerError";
}

/** No connection came about in time although others were free: the store is silent, and nothing was sent. */
export class NoConnectionError extends Error {
	override readonly name = "NoConnectionError";
}

/** The driver's error of an operation that got no connection in time. */
const queueTimeout = "MongoWaitQueueTimeoutError";

export function isQueueTimeout(error: unknown): boolean {
	return error instanceof MongoError && error.name === queueTimeout;
}

/** Failures before anything was sent, by the driver's names, because not all their classes are exported. */
const neverSent = new Set([
	"MongoServerSelectionError",
	"MongoPoolClearedError",
	"MongoPoolClosedError",
	"MongoTopologyClosedError",
	"MongoNotConnectedError",
]);

/** Whether an attempt failed before anything of it was sent; an earlier attempt of the same operation may have been sent. */
export function isUnsent(error: unknown): boolean {
	return error instanceof MongoError && (neverSent.has(error.name) || error.hasErrorLabel("HandshakeError"));
}

/**
 * Codes of server errors that leave open whether a write happened: no code, timeouts, and servers that are no longer
 * the primary.
 */
const undecidedCodes = new Set<unknown>([undefined, 50, 64, 91, 100, 189, 262, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** The server ended the operation at the time limit that it was sent with. */
const timeIsOver = 50;

/**
 * Returns the key that a write collided with: `id` or a unique index, which only the message names. Undefined for any
 * other failure.
 */
export function takenKey(error: unknown): string | undefined {
	if (!(error instanceof MongoServerError) || error.code !== 11_000) return undefined;
	const [, index] = /index: (\S+) dup key/.exec(error.message) ?? [];
	return index === undefined || index === "_id_" ? "id" : declaredIndex(index);
}

/** Returns the index of the document that ended an ordered insert; the documents before it were inserted. */
export function firstFailure(error: unknown): number | undefined {
	if (!(error instanceof MongoBulkWriteError)) return undefined;
	const [first] = [error.writeErrors].flat();
	return first?.index;
}

/**
 * Translates an error. Writes are not repeated here; the driver repeats one only when the server can recognize the
 * repetition (replica sets).
 */
export function translated(error: unknown, intent: Intent): unknown {
	if (error instanceof NoConnectionError) return silence(error.name, "read");
	if (error instanceof NoAnswerError) return silence(error.name, intent);
	if (isSocketError(error)) return silence(error.code, intent);
	if (!(error instanceof MongoError)) return error;
	// The driver wraps every error that ends an insert of many documents, including network failures.
	const { errorResponse = error }: { errorResponse?: unknown } = error instanceof MongoBulkWriteError ? error : {};
	return Object.assign(meaningOf(errorResponse instanceof MongoError ? errorResponse : error, intent), {
		cause: error,
	});
}

function meaningOf(error: MongoError, intent: Intent): ServiceError {
	const { name } = error;
	// A full queue of one client does not mean that the store is unreachable.
	if (name === queueTimeout)
		return new UnavailableError("Too many requests wait for the document store", "STORE_OVERLOADED");
	// One client can ask for a read that takes long, for example a search, so this does not mean it either.
	if (intent === "read" && error.code === timeIsOver)
		return new UnavailableError("The document store needs too long for this, ask for less", "STORE_SLOW");
	if (isUnsent(error))
		return new UnavailableError(
			refusalSentence(error, `Cannot reach the document store: ${unreachableReason(error)}`),
			"STORE_UNREACHABLE",
		);
	const undecided = error instanceof MongoWriteConcernError || undecidedCodes.has(error.code);
	if (error instanceof MongoServerError && !undecided)
		return new UpstreamError(
			refusalSentence(error, `The document store refused: ${name} ${error.code}`),
			"STORE_REFUSED",
		);
	return silence(name, intent);
}

/**
 * Whether an error is the operating system's own. The driver wraps those of a socket except while it waits for room to send the
 * rest of a large command.
 */
function isSocketError(error: unknown): error is Error & { code: string } {
	return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/** @param name The name of the error that tells of the silence. */
function silence(name: string, intent: Intent): ServiceError {
	return intent === "read"
		? new UnavailableError(`The document store did not answer: ${name}`, "STORE_UNREACHABLE")
		: new TimeoutError(`The document store did not confirm, the write may be done: ${name}`, "STORE_UNDECIDED");
}
