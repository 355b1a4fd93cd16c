/** The stored form of users. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The text is a {@link User}; the id is the person's. */
export const userCollection = defineCollection(
	"users",
	{
		/** `user`, for the order of all. */
		kind: "text",
		created_at: "text",
		/** Grows with every change. */
		rev: "integer",
	},
	{ by_age: { columns: ["kind", "created_at"] } },
	{ audited: ["email", "status"] },
);

export type UserDocument = Document<(typeof userCollection)["columns"]>;
