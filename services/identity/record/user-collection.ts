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
		/** The time of the provider's newest dated word about the person, in milliseconds since 1970. */
		word_at: "integer",
		/**
		 * The tenant of requests that name none, where the provider's word decides none: it was noted before an administrator
		 * added the person to another one. Absent: the oldest grant, or the home.
		 */
		acts_in: "text",
	},
	{ by_age: { columns: ["kind", "created_at"] } },
	{ audited: ["email", "status"] },
);

export type UserDocument = Document<(typeof userCollection)["columns"]>;
