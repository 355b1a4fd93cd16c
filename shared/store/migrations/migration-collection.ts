/** The migrations that have begun, one document each; its id is `<service>:<version>`. */
import { defineCollection } from "../collection.ts";

export const migrationCollection = defineCollection(
	"migrations",
	{
		service: "text",
		version: "integer",
		name: "text",
		kind: "text",
		/** `begun` or `done`. */
		state: "text",
		/** How far a migration that has begun is, in its own words. */
		position: "text",
		/** The fence of the process that has written last; an older one may write no more. */
		fence: "integer",
		/** When it was done, in milliseconds since 1970. */
		at: "integer",
	},
	{ by_service: { columns: ["service", "version"], unique: true } },
);
