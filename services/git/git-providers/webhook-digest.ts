/** Computes and compares the digests of webhooks. Pure. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export function hexDigest(secret: string, body: string): string {
	return createHmac("sha256", secret).update(body).digest("hex");
}

/** Compares digests of the texts, which have the same length whatever was given. */
export function isEqual(given: string | undefined, right: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given ?? ""), digest(right)) && given !== undefined;
}
