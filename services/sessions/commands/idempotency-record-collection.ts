/** How answers to commands are stored that no living session can keep. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** `wire` is the answer, or while `completed` is 0 what the command is going to do. */
export const idempotencyRecordCollection = defineCollection(
	"idempotency_records",
	{
		/** Of whom it is, tenant and id. */
		owner: "text",
		/** Of the command, milliseconds since 1970. */
		at: "integer",
		/** 1 when the command is done. */
		completed: "integer",
		/** The session that it makes. */
		session: "text",
		/** Of the request's parameters. */
		fingerprint: "text",
	},
	{
		at: { columns: ["at"] },
		owner: { columns: ["owner", "at"] },
		session: { columns: ["session"] },
	},
);

export type IdempotencyRecordDocument = Document<(typeof idempotencyRecordCollection)["columns"]>;
