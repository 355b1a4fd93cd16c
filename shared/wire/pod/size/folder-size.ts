/** Measures the size of folders on disk in threads, so that no other work waits for it. */
import { Worker } from "node:worker_threads";
import { bound } from "#shared/base/bounds.ts";
import { deadline } from "#shared/base/clock.ts";
import type { CountedFiles, CountOrder } from "./count-files.ts";
import type { OpenedBy } from "./open-files.ts";

/** The time that a thread has beyond that of its count, to start and to answer, in milliseconds. */
const spareMs = 2_000;
/** The heap of a thread; a walk within its bounds needs less than half of it. */
const maxHeapMb = 256;

/** The bounds of a count; their defaults are the bounds `measureMs` and `measuredEntries`. */
export interface SizeTerms {
	readonly signal: AbortSignal;
	/** The longest time in milliseconds. */
	readonly withinMs?: number;
	readonly maxEntries?: number;
	readonly openedBy?: OpenedBy;
}

/** The measurements of one runtime, which closes it. A thread takes 60 ms of a processor to start, so one is kept for the next count. */
export class FolderSizes {
	#idle: Worker | undefined;
	#isClosed = false;

	/** Returns what folders occupy together. A missing one occupies nothing. @throws {Error} when the signal aborts. */
	async of(folders: readonly string[], terms: SizeTerms): Promise<CountedFiles> {
		const { signal, withinMs = bound.measureMs, maxEntries = bound.measuredEntries, openedBy } = terms;
		signal.throwIfAborted();
		const order: CountOrder = { folders, maxEntries, withinMs, openedBy };
		const counted = await this.#count(order, deadline(withinMs + spareMs, signal));
		signal.throwIfAborted();
		return counted;
	}

	close(): void {
		this.#isClosed = true;
		void this.#idle?.terminate();
		this.#idle = undefined;
	}

	async #count(order: CountOrder, ending: AbortSignal): Promise<CountedFiles> {
		const thread = this.#idle ?? startThread();
		this.#idle = undefined;
		thread.ref();
		const counted = await answerOf(thread, order, ending).catch(async (error: unknown) => {
			// One that waits for a disk ends when the disk has answered; nobody waits for it.
			void thread.terminate();
			if (error instanceof Unanswered) return nothing(error.partial);
			throw error;
		});
		this.#keep(thread, counted);
		return counted;
	}

	#keep(thread: Worker, { partial }: CountedFiles): void {
		thread.unref();
		// One that was given up, or that has needed much memory, is not used again.
		if (this.#isClosed || this.#idle || partial) void thread.terminate();
		else this.#idle = thread;
	}
}

/** A thread that has not answered, because it lacked time or memory. */
class Unanswered extends Error {
	readonly partial: "time" | "memory";

	constructor(partial: "time" | "memory") {
		super(`A count lacked ${partial}`);
		this.partial = partial;
	}
}

function startThread(): Worker {
	const thread = new Worker(new URL("./folder-size-thread.ts", import.meta.url), {
		resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
	});
	// A failure while nobody waits for an answer would end the process if nobody listened.
	thread.on("error", () => {});
	return thread;
}

/** @throws {Unanswered} {Error} */
async function answerOf(thread: Worker, order: CountOrder, ending: AbortSignal): Promise<CountedFiles> {
	const { promise, resolve, reject } = Promise.withResolvers<CountedFiles>();
	const onLate = () => reject(new Unanswered("time"));
	const onError = (error: NodeJS.ErrnoException) =>
		reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new Unanswered("memory") : error);
	const onExit = () => reject(new Error("A thread has ended while it counted files"));
	thread.once("message", resolve);
	thread.once("error", onError);
	thread.once("exit", onExit);
	ending.addEventListener("abort", onLate);
	try {
		thread.postMessage(order);
		return await promise;
	} finally {
		thread.off("message", resolve);
		thread.off("error", onError);
		thread.off("exit", onExit);
		ending.removeEventListener("abort", onLate);
	}
}

function nothing(partial: "time" | "memory"): CountedFiles {
	return { bytes: 0, entries: 0, hasUnreadable: false, partial };
}
