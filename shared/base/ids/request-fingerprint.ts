/** Tells whether two requests with the same `Idempotency-Key` are the same request. */
import { createHash } from "node:crypto";
import { UnprocessableError } from "../errors.ts";

export function fingerprintOf(params: unknown): string {
	return createHash("sha256").update(JSON.stringify(params)).digest("base64url");
}

/** Compares the fingerprints of two requests with the same key. @throws {UnprocessableError} when they differ. */
export function refuseOtherRequest(former: string | undefined, fingerprint: string): void {
	if (former !== fingerprint)
		throw new UnprocessableError("This Idempotency-Key was used for another request", "IDEMPOTENCY_KEY_REUSED");
}
