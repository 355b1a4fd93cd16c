/** What a promise is rejected with, as a value to look at. */

/**
 * @typeParam E What the test expects it to be; nothing is checked.
 * @throws {Error} when the promise resolves.
 */
export async function failureOf<E = unknown>(attempt: Promise<unknown>): Promise<E> {
	const [outcome] = await Promise.allSettled([attempt]);
	if (outcome.status === "fulfilled") throw new Error("Expected a rejection, but it succeeded");
	return outcome.reason;
}
