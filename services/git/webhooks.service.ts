/** Offers the receipt of webhooks on the bus. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { webhooks } from "#shared/contracts/git/webhooks.ts";
import type { WebhookReceiver } from "./webhooks/webhook-receiver.ts";

export function webhooksService(receiver: WebhookReceiver): ServiceSchema {
	return {
		name: webhooks.name,
		actions: implement(webhooks, {
			receive: ({ provider, headers, body }) => receiver.receive(provider, { headers, body }),
		}),
	};
}
