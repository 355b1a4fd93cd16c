/**
 * Writes that happen only while the document of a fence is as its writer has left it. Each one is a transaction that changes this
 * document too, so it conflicts with the write that changes it for another writer: it is done before that one, or not at all,
 * however late it arrives at the server.
 */
import { type ClientSession, MongoError } from "mongodb";
import { monotonic, sleep } from "#shared/base/clock.ts";
import { type Fence, FenceLostError } from "../port/fence.ts";
import type { Work } from "./mongodb-connection.ts";
import type { StoredDocument } from "./mongodb-document.ts";

/** The change of the fence's document, whose columns stay: a write that only read it would not conflict. */
const touched: Readonly<Record<string, unknown>> = { $inc: { _fenced: 1 } };

/** A transaction that a change of primary or another writer has ended is repeated for so long, and after a pause, in milliseconds. */
const repeatedMs = 3_000;
const pauseMs = 20;

/** Returns the work as a transaction with the fence; it rejects with {FenceLostError} when the document has changed. */
export function fencedWork<T>(fence: Fence, work: Work<T>): Work<T> {
	return async (documents, options, database) => {
		const fences = database.collection<StoredDocument>(fence.collection.name);
		const asLeft = { _id: fence.id, ...fence.equals };
		const attempt = async () => {
			const { matchedCount } = await fences.updateOne(asLeft, touched, options);
			if (matchedCount === 0) throw new FenceLostError(fence);
			return work(documents, options, database);
		};
		for (const begun = monotonic(); ; await sleep(pauseMs)) {
			try {
				return await inTransaction(options.session, attempt);
			} catch (error) {
				if (!isTransient(error) || monotonic() - begun > repeatedMs) throw error;
			}
		}
	};
}

async function inTransaction<T>(session: ClientSession, work: () => Promise<T>): Promise<T> {
	session.startTransaction();
	try {
		const result = await work();
		await session.commitTransaction();
		return result;
	} catch (error) {
		// The server ends a transaction by itself of which it hears nothing more.
		if (session.inTransaction()) await session.abortTransaction().catch(() => {});
		throw error;
	}
}

function isTransient(error: unknown): boolean {
	return error instanceof MongoError && error.hasErrorLabel("TransientTransactionError");
}
