/** Reports of pods whose launch is over. */
import type { Principal } from "#shared/bus/principal.ts";
import { ConflictError } from "#shared/errors.ts";

/** @throws {ConflictError} when an older launch reports: its pod is to end itself. */
export function refuseStale({ kind, generation }: Principal, current: number): void {
	if (kind === "pod" && generation !== current) {
		throw new ConflictError(`Launch ${generation} is over, the present one is ${current}`, "STALE_GENERATION");
	}
}
