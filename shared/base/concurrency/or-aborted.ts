/**
 * Waits for a promise that may ignore the signal: the wait ends at once when the signal aborts.
 * @throws the reason of the signal.
 */
export async function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
	const aborted = Promise.withResolvers<never>();
	const abort = (): void => aborted.reject(signal.reason);
	signal.addEventListener("abort", abort);
	if (signal.aborted) abort();
	try {
		return await Promise.race([promise, aborted.promise]);
	} finally {
		signal.removeEventListener("abort", abort);
	}
}
