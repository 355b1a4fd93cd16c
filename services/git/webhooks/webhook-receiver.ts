/**
 * Takes webhooks. Nothing is parsed, read or written before the signature is checked, and a refusal does not say what was
 * wrong. A message takes effect before it is remembered: one whose effect was lost comes again, and an effect that is
 * repeated changes nothing.
 */
import { UnauthorizedError } from "#shared/base/errors.ts";
import type { Delivery, PullEvent, Webhooks } from "../providers/webhooks.ts";
import { deliveryNames, type DeliveryRecords } from "./delivery-records.ts";
import { pullEvent } from "./pull-event.ts";
import { isSigned } from "./signature.ts";

/** One configured host that sends webhooks. */
export interface WebhookSource {
	readonly webhooks: Webhooks;
	/** Empty: it sends none. */
	readonly secret: string;
	/** Whether a URL is one of its repositories. */
	readonly isHome: (repoUrl: string) => boolean;
}

interface WebhookReceiverDependencies {
	readonly deliveries: DeliveryRecords;
	readonly sources: ReadonlyMap<string, WebhookSource>;
	/** Records the state of a pull request; it is called again for repeated messages, in any order. */
	readonly observe: (event: PullEvent) => Promise<void>;
}

/** It is the same for all, so that nobody learns which providers there are. The operator reads in the log which secret is missing. */
const refusal =
	"The signature of the message is not right, or the platform has no webhook secret for this provider (docs/webhooks.md)";

export class WebhookReceiver {
	readonly #dependencies: WebhookReceiverDependencies;

	constructor(dependencies: WebhookReceiverDependencies) {
		this.#dependencies = dependencies;
	}

	/** @throws {UnauthorizedError} for an unknown provider, one without a secret, and a wrong signature alike. */
	async receive(provider: string, delivery: Delivery): Promise<void> {
		const { deliveries, observe } = this.#dependencies;
		const { webhooks, isHome } = this.#senderOf(provider, delivery);
		const event = pullEvent(webhooks, delivery);
		// The sender writes the name of the repository, so it may name a repository of another host. A delivery without effect
		// is not remembered: it would fill the store, and it could use up the id of a later delivery, because ids are not signed.
		if (!event || !isHome(event.repo_url)) return;
		const names = deliveryNames(provider, webhooks, delivery);
		if (await deliveries.isKnown(names)) return;
		await observe(event);
		await deliveries.remember(names);
	}

	#senderOf(provider: string, delivery: Delivery): WebhookSource {
		const { sources } = this.#dependencies;
		const source = sources.get(provider);
		// An unknown name takes the time of another one, so that the time does not tell them apart either.
		const { webhooks } = source ?? sources.values().next().value ?? {};
		const isRight = webhooks && isSigned(webhooks, source?.secret ?? "", delivery);
		if (!isRight || !source) throw new UnauthorizedError(refusal, "WEBHOOK_REFUSED");
		return source;
	}
}
