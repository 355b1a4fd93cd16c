/** Sends as pods do: who is told that the store has too much to do sends the same again. */
import { sleep } from "#shared/clock.ts";
import { UnavailableError } from "#shared/errors.ts";

/** @param send May be repeated: the same request counts once. @throws what it throws, {UnavailableError} after ten repeats. */
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
