/** Returns the reason of a rejected promise as a value. */

/**
 * Returns the reason.
 * @typeParam E The expected type of the reason; nothing is checked.
 * @throws {Error} when the promise resolves.
 */
export async function failureOf<E = unknown>(attempt: Promise<unknown>): Promise<E> {
	const [outcome] = await Promise.allSettled([attempt]);
	if (outcome.status === "fulfilled") throw new Error("Expected a rejection, but it succeeded");
	return outcome.reason;
}
