/**
 * Answers from kept patches. A patch is what an agent has made: 2 MB of 50,000 files, or of what is hardest to read, so
 * large ones are read in a thread, one after another, not for long, and for one person after the other.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { deadline } from "#shared/clock.ts";
import type { Principal } from "#shared/bus/principal.ts";
import { UnavailableError, UpstreamError } from "#shared/errors.ts";
import { FairTurns } from "#shared/fair-turns.ts";
import { type StoredDiff, storedDiff, type StoredDiffOrder } from "./stored-diff.ts";

/** Characters that are read at once: some milliseconds. */
const smallPatch = 32 * 1024;
const maxWaiting = 64;
/** Of one person. */
const maxWaitingOfOne = 4;
/** Of the thread; far more than the largest patch takes. */
const maxHeapMb = 256;

export class StoredDiffs {
	readonly #maxMs: number;
	#thread: Worker | undefined;
	readonly #turns = new FairTurns({
		atOnce: 1,
		share: 1,
		waiting: maxWaiting,
		waitingOfOne: maxWaitingOfOne,
		refusal: "Too many large diffs are being read, try again",
	});
	readonly #closing = new AbortController();

	/** @param maxMs For one patch; whoever asks waits 8 s. */
	constructor(maxMs = 7_000) {
		this.#maxMs = maxMs;
	}

	/** @throws {UpstreamError} when the patch takes too long; {TooManyRequestsError} when too many wait. */
	async answer(principal: Principal, order: StoredDiffOrder): Promise<StoredDiff> {
		if (order.patch.length <= smallPatch) return storedDiff(order);
		return JSON.parse(await this.#turns.run(principal, () => this.#read(order)));
	}

	/** Who still waits is refused. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#endThread();
	}

	async #endThread(): Promise<void> {
		const thread = this.#thread;
		this.#thread = undefined;
		await thread?.terminate();
	}

	/** JSON text. A thread that has failed or is too slow is ended, and the next order gets another one. */
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
			throw new UpstreamError("The kept patch cannot be read in time", "PATCH_UNREADABLE", { cause });
		}
	}
}

/** It keeps no process alive. */
function startThread(): Worker {
	const thread = new Worker(new URL("./stored-diff-thread.ts", import.meta.url), {
		resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
	});
	// Whoever waits is told; without this, a failure that nobody waits for would end the process.
	thread.on("error", () => {});
	thread.unref();
	return thread;
}
