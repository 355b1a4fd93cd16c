/**
 * Marks work that makes room: stops, deletions and releases. When the disk is nearly full, the embedded store takes only the
 * writes of such work, so that nobody else uses up the room that it needs (docs/decisions/0108). The mark follows the work through
 * every asynchronous step of one process.
 */
import { AsyncLocalStorage } from "node:async_hooks";

const marks = new AsyncLocalStorage<true>();

/** Runs work whose writes are taken although the disk is nearly full. */
export function makingRoom<T>(work: () => T): T {
	return marks.run(true, work);
}

export function makesRoom(): boolean {
	return marks.getStore() === true;
}
