/** The stored form of personal access tokens. Of the token itself only digests are stored. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The text is a {@link PersonalToken}. */
export const tokenCollection = defineCollection(
	"personal_access_tokens",
	{
		tenant: "text",
		/** The id of the person whom the token stands for. */
		owner: "text",
		name: "text",
		/** The name of the token by what its signature covers (`tokenKey`). Revocation is looked up by it. */
		key: "text",
		/** The SHA-256 digest of the token's text, with which an operator recognises a token that was found somewhere. */
		digest: "text",
		scope: "text",
		created_at: "text",
		/** Milliseconds since 1970. */
		expires_at: "integer",
		/** The epoch of the owner's membership at the creation, with whose end the token ends; absent: 0. */
		epoch: "integer",
		/** Grows with every change. */
		rev: "integer",
	},
	{
		by_owner: { columns: ["tenant", "owner", "created_at"] },
		by_person: { columns: ["owner", "created_at"] },
		by_name: { columns: ["tenant", "owner", "name"], unique: true },
		by_key: { columns: ["key"], unique: true },
		by_expiry: { columns: ["expires_at"] },
	},
	{ audited: ["name", "scope", "expires_at"] },
);

export type TokenDocument = Document<(typeof tokenCollection)["columns"]>;
