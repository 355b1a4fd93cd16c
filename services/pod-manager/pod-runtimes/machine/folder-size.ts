/** Measures the size of folders on disk in a thread of its own, so that no other work waits for it. */
import { Worker } from "node:worker_threads";
import { bound } from "#shared/base/bounds.ts";
import { deadline } from "#shared/base/clock.ts";
import type { MeasureTerms } from "../../pod-runtime.ts";
import type { CountedFiles, CountOrder } from "./count-files.ts";
import type { OpenedBy } from "./open-files.ts";

/** The time that a thread has beyond that of its count, to start and to answer, in milliseconds. */
const spareMs = 2_000;
/** The heap of a thread; a walk within its bounds needs less than half of it. */
const maxHeapMb = 256;

/** The bounds of a count; the default of entries is that of the bound `measuredEntries`. */
export type SizeTerms = Pick<MeasureTerms, "signal" | "withinMs"> & {
	readonly maxEntries?: number;
	readonly openedBy?: OpenedBy;
};

/** Returns what folders occupy together. A missing one occupies nothing. @throws {Error} when the signal aborts. */
export async function sizeOfFolders(folders: readonly string[], terms: SizeTerms): Promise<CountedFiles> {
	const { signal, withinMs = bound.measureMs, maxEntries = bound.measuredEntries, openedBy } = terms;
	signal.throwIfAborted();
	const order: CountOrder = { folders, maxEntries, withinMs, openedBy };
	const counted = await inThread(order, deadline(withinMs + spareMs, signal));
	signal.throwIfAborted();
	return counted;
}

/** Resolves in any case: a thread that needs too much memory or time has counted a part. @throws {Error} for any other failure. */
async function inThread(workerData: CountOrder, ending: AbortSignal): Promise<CountedFiles> {
	const thread = new Worker(new URL("./folder-size-thread.ts", import.meta.url), {
		workerData,
		resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
	});
	const { promise, resolve, reject } = Promise.withResolvers<CountedFiles>();
	const isLate = () => resolve(nothing("time"));
	thread.on("message", resolve);
	thread.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "ERR_WORKER_OUT_OF_MEMORY") resolve(nothing("memory"));
		else reject(error);
	});
	ending.addEventListener("abort", isLate);
	try {
		return await promise;
	} finally {
		ending.removeEventListener("abort", isLate);
		// A thread that waits for a disk ends when the disk has answered; nobody waits for it.
		void thread.terminate();
	}
}

function nothing(partial: "time" | "memory"): CountedFiles {
	return { bytes: 0, entries: 0, hasUnreadable: false, partial };
}
