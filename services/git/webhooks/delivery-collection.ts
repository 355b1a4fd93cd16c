/** The stored form of deliveries of webhooks that have taken effect, so that a repeated one has none. */
import { defineCollection } from "#shared/store/collection.ts";

/** The id is made of the provider's name and the delivery's id; the text is empty. */
export const deliveryCollection = defineCollection(
	"webhook_deliveries",
	{
		/** A digest of the message: the id of a delivery is not signed, so that anybody could send it with another one. */
		digest: "text",
		/** Milliseconds since 1970. */
		at: "integer",
	},
	{ by_digest: { columns: ["digest"], unique: true }, by_age: { columns: ["at"] } },
);
