/**
 * Runs a DELETE with an `Idempotency-Key`. A repetition finds nothing more when the first request was carried out and its
 * answer was lost; it then succeeds, as the first one did (decision 0110).
 */
import { isPerson, type Principal } from "#shared/base/principal.ts";
import { call, type Caller, type Meta } from "#shared/bus/service.ts";
import { keyedDeletions } from "#shared/contracts/gateway/keyed-deletions.ts";
import { ServiceError } from "#shared/base/errors.ts";
import { fingerprintOf } from "#shared/base/ids/request-fingerprint.ts";
import type { ActionRoute } from "./routes/action-route.ts";

interface BusRequest {
	readonly bus: Caller;
	readonly route: Pick<ActionRoute, "method" | "action">;
	readonly principal: Principal;
	readonly params: Readonly<Record<string, unknown>>;
	readonly meta: Meta;
	/** The time for each call, in milliseconds. */
	readonly timeout: number;
}

/**
 * Runs a request: a keyed deletion as this module says, any other one as it is.
 * @throws {UnprocessableError} when the key was used for another deletion; whatever `run` throws.
 */
export async function deleteOnce(request: BusRequest, run: () => Promise<unknown>): Promise<unknown> {
	const { bus, route, principal, params, meta, timeout } = request;
	const { idempotency_key: key } = meta;
	if (key === undefined || route.method !== "DELETE" || !isPerson(principal)) return run();
	const { note, forget } = keyedDeletions.actions;
	const deletion = { action: route.action.name, key, fingerprint: fingerprintOf(params) };
	const { is_repeated: isRepeated } = await call(bus, note, deletion, { meta, timeout });
	try {
		return await run();
	} catch (error) {
		// Only a service that has decided says so by a code below 500; any other failure may have had its effect.
		if (!(error instanceof ServiceError) || error.code >= 500) throw error;
		if (isRepeated) {
			if (error.code === 404) return null;
			throw error;
		}
		await call(bus, forget, deletion, { meta, timeout });
		throw error;
	}
}
