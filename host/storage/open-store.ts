/** Opens the store at the start of a process, and waits for one that nobody serves yet. */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { StartError } from "#shared/base/start-error.ts";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";

/** How long a start waits, in milliseconds: the servers may be starting too, or choosing a primary, which takes 10 s. */
const usuallyMs = 30_000;
const pauseMs = 500;

interface OpenStoreOptions {
	/** Takes the sentence that says what the start waits for. */
	readonly announce: (sentence: string) => void;
	/** Takes that sentence after each attempt, for the ops listener. */
	readonly waitFor?: ((sentence: string) => void) | undefined;
	/** The longest time to wait in milliseconds; default 30,000. */
	readonly withinMs?: number;
}

/** @throws {StartError} when the store cannot be reached in time; the store's own error when it refuses. */
export async function openStore(
	store: Pick<DocumentStore, "open">,
	collections: readonly Collection[],
	{ announce, waitFor, withinMs = usuallyMs }: OpenStoreOptions,
): Promise<void> {
	const since = monotonic();
	for (let isFirst = true; ; isFirst = false) {
		try {
			return await store.open(collections);
		} catch (error) {
			if (!(error instanceof UnavailableError) || error.type !== "STORE_UNREACHABLE") throw error;
			const { message } = error;
			if (monotonic() - since >= withinMs) throw new StartError(`${message} (docs/mongodb.md)`, { cause: error });
			const waiting = `The start waits for the document store, for ${withinMs / 1_000} s: ${message}`;
			if (isFirst) announce(waiting);
			waitFor?.(waiting);
		}
		await sleep(pauseMs);
	}
}
