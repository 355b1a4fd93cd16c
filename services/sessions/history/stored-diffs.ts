/**
 * Answers requests from stored patches. A patch comes from an agent and may be costly to parse (2 MB of 50,000 files),
 * so large ones are read in a thread: one after another, for a limited time, and with the turns of persons in rotation.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { deadline } from "#shared/base/clock.ts";
import { bound } from "#shared/base/bounds.ts";
import { type Principal, principalKey } from "#shared/base/principal.ts";
import { TooManyRequestsError, UnavailableError, UpstreamError } from "#shared/base/errors.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { type StoredDiff, storedDiff, type StoredDiffOrder } from "./stored-diff.ts";

/** Patches below this length are read at once, in a few milliseconds. */
const smallPatch = 32 * 1024;
/** The heap of the thread; far more than the largest patch needs. */
const maxHeapMb = 256;

/** The reader of one process with its thread; its owner closes it. */
export class StoredDiffs {
	readonly #maxMs: number;
	#thread: Worker | undefined;
	readonly #turns = new FairQueue({
		waiting: bound.waitingDiffs,
		waitingOfOne: bound.waitingDiffsOfOne,
		full: () => new TooManyRequestsError("Too many large diffs are being read, try again", "BUSY"),
	});
	readonly #closing = new AbortController();

	/** @param maxMs The time for one patch in milliseconds; callers wait up to 8 s. */
	constructor(maxMs = 7_000) {
		this.#maxMs = maxMs;
	}

	/**
	 * Returns the diff. @throws {UpstreamError} when the patch takes too long; {TooManyRequestsError} when too many
	 * requests wait.
	 */
	async answer(principal: Principal, order: StoredDiffOrder): Promise<StoredDiff> {
		if (order.patch.length <= smallPatch) return storedDiff(order);
		return JSON.parse(await this.#turns.run(principalKey(principal), () => this.#read(order)));
	}

	/** Ends the thread; waiting requests are refused. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#endThread();
	}

	async #endThread(): Promise<void> {
		const thread = this.#thread;
		this.#thread = undefined;
		await thread?.terminate();
	}

	/**
	 * Reads a patch in the thread and returns the JSON text of the answer. A thread that has failed or is too slow is
	 * ended, and the next order gets a new one.
	 */
	async #read(order: StoredDiffOrder): Promise<string> {
		if (this.#closing.signal.aborted) throw new UnavailableError("The process is ending");
		const thread = (this.#thread ??= startThread());
		try {
			const answered = once(thread, "message", { signal: deadline(this.#maxMs, this.#closing.signal) });
			thread.postMessage(order);
			const [text] = await answered;
			return String(text);
		} catch (cause) {
			await this.#endThread();
			throw new UpstreamError("The stored patch cannot be read in time", "PATCH_UNREADABLE", { cause });
		}
	}
}

/** Starts a thread that does not keep the process alive. */
function startThread(): Worker {
	const thread = new Worker(new URL("./stored-diff-thread.ts", import.meta.url), {
		resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
	});
	// Waiting callers get the failure elsewhere; without this listener, a failure without a caller would end the
	// process.
	thread.on("error", () => {});
	thread.unref();
	return thread;
}
