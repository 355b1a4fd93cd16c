/** What a promise is rejected with, as a value to look at. */

/** @throws {Error} when the promise resolves. */
export async function failureOf(attempt: Promise<unknown>): Promise<unknown> {
	const [outcome] = await Promise.allSettled([attempt]);
	if (outcome.status === "fulfilled") throw new Error("Expected a rejection, but it succeeded");
	return outcome.reason;
}
