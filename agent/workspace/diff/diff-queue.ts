/** Makes the queue of the comparisons of a pod. */
import { bound } from "#shared/base/bounds.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { DiffBusyError, DiffTimeoutError } from "./diff-errors.ts";

/** @param waiting The most that wait; more get {@link DiffBusyError}, and those that wait too long {@link DiffTimeoutError}. */
export function diffQueue(waiting: number, patienceMs: number = bound.diffMs): FairQueue {
	return new FairQueue({
		atOnce: bound.diffsOfPod,
		waiting,
		patienceMs,
		full: () => new DiffBusyError("Too many diffs are asked for at once"),
		late: () => new DiffTimeoutError("Other diffs took too long"),
	});
}
