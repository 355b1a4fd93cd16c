/**
 * The repository of deliveries: whether a message has taken effect already, by its id and by its content. A delivery is
 * written once and has no revision, so it is no kind of ResourceRecords.
 */
import { createHash } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import type { Delivery, Webhooks } from "../providers/webhooks.ts";
import { removeFirst } from "#shared/store/remove-first.ts";
import { deliveryCollection } from "./delivery-collection.ts";

interface DeliveryNames {
	readonly id: string;
	readonly digest: string;
}

/** Providers send a message again for three days at most. */
const maxAgeMs = 7 * 86_400_000;

/** Returns the names of a delivery. One without an id is named by its content. */
export function deliveryNames(provider: string, webhooks: Webhooks, { headers, body }: Delivery): DeliveryNames {
	const event = headers[webhooks.eventHeader] ?? "";
	const digest = createHash("sha256")
		.update(JSON.stringify([provider, event]))
		.update(body)
		.digest("base64url");
	const given = webhooks.idHeaders.map((name) => headers[name]).find((id) => id) ?? digest;
	return { id: nameBasedUuid("webhook-delivery", provider, given), digest };
}

/** The deliveries of all hosts; old ones are swept. */
export class DeliveryRecords {
	readonly #store: Documents;

	constructor(store: Documents) {
		this.#store = store;
	}

	/** Whether this message, or one with its id, has taken effect. */
	async isKnown({ id, digest }: DeliveryNames): Promise<boolean> {
		if (await this.#store.get(deliveryCollection, id, [])) return true;
		return (await this.#store.count(deliveryCollection, "by_digest", { equals: [digest] })) > 0;
	}

	/** Remembers a message that has taken effect. */
	async remember({ id, digest }: DeliveryNames): Promise<void> {
		await insertOnce(() => this.#store.insert(deliveryCollection, { id, wire: "", digest, at: now() }));
		failpoint("webhooks.remembered");
	}

	/** Forgets old messages, the oldest first; resolves to their count. */
	sweep(): Promise<number> {
		return removeFirst(this.#store, deliveryCollection, "by_age", { equals: [], to: now() - maxAgeMs });
	}
}
