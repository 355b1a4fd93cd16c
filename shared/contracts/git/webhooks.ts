/**
 * The contract of webhooks: messages of git providers that say that a pull request has changed. A message has no caller;
 * its signature is its only credential (docs/webhooks.md).
 */
import { bound } from "#shared/base/bounds.ts";
import { defineContract } from "../contract.ts";
import { textMap } from "../field-rules.ts";

export const webhooks = defineContract("webhooks", {
	receive: {
		rest: "POST /webhooks/:provider",
		access: "public",
		summary: "A signed message of a git provider of the configuration",
		params: {
			provider: { type: "string", min: 1, max: 100, description: "The name of the provider in the configuration" },
			headers: { ...textMap, max_bytes: 8_192 },
			body: { type: "string", max: bound.bodyOfWebhook, description: "The message as it was sent" },
		},
		raw_body: true,
		max_body: bound.bodyOfWebhook,
		errors: [400, 503],
	},
});
