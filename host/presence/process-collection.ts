/** The running processes of the platform, one document each; its text is a ProcessEntry. */
import { defineCollection } from "#shared/store/collection.ts";

export const processCollection = defineCollection(
	"processes",
	{
		/** When it announced itself last, in milliseconds since 1970, by the clock of the store. */
		seen: "integer",
		/** When it registered, by the clock of the store. */
		since: "integer",
	},
	{ by_seen: { columns: ["seen"] } },
);
