/** What a failure of the MongoDB driver means to whoever asked: whether a write may be done, and what it clashed with. */
import { MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from "mongodb";
import { type ServiceError, TimeoutError, UnavailableError, UpstreamError } from "../../errors.ts";
import { declaredIndex } from "./mongodb-index-name.ts";

export type Intent = "read" | "write";

/** Failures before anything was sent, by the driver's names; not all their classes are exported. */
const neverSent = new Set([
	"MongoServerSelectionError",
	"MongoPoolClearedError",
	"MongoPoolClosedError",
	"MongoTopologyClosedError",
	"MongoNotConnectedError",
]);

/** Server errors that leave open whether a write is done: without a code, out of time, or no longer the primary. */
const undecidedCodes = new Set<unknown>([undefined, 50, 64, 91, 100, 189, 262, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** `id` or the unique index that a write clashed with, which only the message names; undefined for any other failure. */
export function takenKey(error: unknown): string | undefined {
	if (!(error instanceof MongoServerError) || error.code !== 11_000) return undefined;
	const [, index] = /index: (\S+) dup key/.exec(error.message) ?? [];
	return index === undefined || index === "_id_" ? "id" : declaredIndex(index);
}

/** The place of the document that ended an ordered insert; those before it are in. */
export function firstFailure(error: unknown): number | undefined {
	if (!(error instanceof MongoBulkWriteError)) return undefined;
	const [first] = [error.writeErrors].flat();
	return first?.index;
}

/** The driver repeats a write only where the server recognizes the repetition (replica sets); nothing here repeats one. */
export function translated(error: unknown, intent: Intent): unknown {
	if (!(error instanceof MongoError)) return error;
	// The driver wraps whatever ends an insert of many, a failure of the network too.
	const { errorResponse = error }: { errorResponse?: unknown } = error instanceof MongoBulkWriteError ? error : {};
	return Object.assign(meaningOf(errorResponse instanceof MongoError ? errorResponse : error, intent), {
		cause: error,
	});
}

function meaningOf(error: MongoError, intent: Intent): ServiceError {
	const { name } = error;
	// What one client asks too much of does not say that the store is away.
	if (name === "MongoWaitQueueTimeoutError")
		return new UnavailableError("Too many requests wait for the document store", "STORE_OVERLOADED");
	if (neverSent.has(name) || error.hasErrorLabel("HandshakeError"))
		return new UnavailableError(`Cannot reach the document store: ${name}`, "STORE_UNREACHABLE");
	const undecided = error instanceof MongoWriteConcernError || undecidedCodes.has(error.code);
	if (error instanceof MongoServerError && !undecided)
		return new UpstreamError(`The document store refused: ${name} ${error.code}`, "STORE_REFUSED");
	return intent === "read"
		? new UnavailableError(`The document store did not answer: ${name}`, "STORE_UNREACHABLE")
		: new TimeoutError(`The document store did not confirm, the write may be done: ${name}`, "STORE_UNDECIDED");
}
