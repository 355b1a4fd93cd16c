/** Sends like pods do: a request is repeated while the store has too much to do. */
import { sleep } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";

/**
 * Sends a request. @param send A request that may be repeated, because it counts once. @throws the error of `send`;
 * {UnavailableError} after ten repetitions.
 */
export async function insistently<T>(send: () => Promise<T>): Promise<T> {
	for (let tries = 0; ; tries++) {
		try {
			return await send();
		} catch (error) {
			if (!(error instanceof UnavailableError) || tries === 10) throw error;
			await sleep(100 * 2 ** tries * Math.random());
		}
	}
}
