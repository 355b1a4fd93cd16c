/** Refuses reports of pods whose launch is over. */
import type { Principal } from "#shared/base/principal.ts";
import { ConflictError } from "#shared/base/errors.ts";

/** Refuses reports of an older launch, whose pod then ends itself. @throws {ConflictError} */
export function refuseStale({ kind, generation }: Principal, current: number): void {
	if (kind === "pod" && generation !== current) {
		throw new ConflictError(`Launch ${generation} is over, the present one is ${current}`, "STALE_GENERATION");
	}
}
