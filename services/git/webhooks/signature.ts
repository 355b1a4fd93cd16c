/** Checks who has sent a webhook. Pure but for the clock. */
import type { Delivery, Webhooks } from "../providers/webhooks.ts";

/** Whether the sender knows the secret. Nobody knows an empty one; the time is the same. */
export function isSigned(webhooks: Webhooks, secret: string, delivery: Delivery): boolean {
	return webhooks.isSigned(secret || "no secret is configured", delivery) && secret !== "";
}
