/** Waits for writes that do not depend on each other. The embedded store commits those of one turn of the event loop at once. */

/** Resolves when all writes have ended, also those beside a failed one. @throws the error of the first that failed. */
export async function writtenTogether(writes: readonly Promise<unknown>[]): Promise<void> {
	for (const outcome of await Promise.allSettled(writes)) if (outcome.status === "rejected") throw outcome.reason;
}
