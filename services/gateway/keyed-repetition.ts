/**
 * Repeats a request with an `Idempotency-Key` whose process has gone silent. The key makes it safe: if the first process goes on
 * later, both give one answer.
 */
import { isWorthRepeating } from "#shared/bus/breakers/outage.ts";
import type { Meta } from "#shared/bus/service.ts";

/** Runs a request, and a keyed one once more when nobody can say what has become of it. @throws whatever `run` throws. */
export async function repeatKeyed<Result>({ idempotency_key }: Meta, run: () => Promise<Result>): Promise<Result> {
	try {
		return await run();
	} catch (error) {
		if (idempotency_key === undefined || !(error instanceof Error) || !isWorthRepeating(error)) throw error;
		return run();
	}
}
