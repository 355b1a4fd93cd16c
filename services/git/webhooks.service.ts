/** Offers the receipt of webhooks on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { webhooks } from "#shared/contracts/git/webhooks.ts";
import type { WebhookReceiver } from "./webhooks/webhook-receiver.ts";

export function webhooksService(receiver: WebhookReceiver): ServiceSchema {
	return serviceOf(webhooks, {
		receive: ({ provider, headers, body }) => receiver.receive(provider, { headers, body }),
	});
}
