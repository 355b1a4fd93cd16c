/** The collection of answers that cannot be stored in a living session. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The records; `wire` is the answer, or the plan of the command while `completed` is 0. */
export const idempotencyRecordCollection = defineCollection(
	"idempotency_records",
	{
		/** The owner's tenant and id. */
		owner: "text",
		/** The time of the command in milliseconds since 1970. */
		at: "integer",
		/** The value 1 when the command is done, otherwise 0. */
		completed: "integer",
		session: "text",
		fingerprint: "text",
	},
	{
		at: { columns: ["at"] },
		owner: { columns: ["owner", "at"] },
		session: { columns: ["session"] },
	},
);

export type IdempotencyRecordDocument = Document<(typeof idempotencyRecordCollection)["columns"]>;
