/** Refuses reports of pods whose launch is over. */
import type { Principal } from "#shared/bus/principal.ts";
import { ConflictError } from "#shared/errors.ts";

/** Refuses reports of an older launch, whose pod then ends itself. @throws {ConflictError} */
export function refuseStale({ kind, generation }: Principal, current: number): void {
	if (kind === "pod" && generation !== current) {
		throw new ConflictError(`Launch ${generation} is over, the present one is ${current}`, "STALE_GENERATION");
	}
}
