/**
 * The contract of secrets: named maps of texts that belong to the user who created them. Answers have names and keys;
 * no action returns a value.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { textMap, texts } from "../field-rules.ts";

/** A name as a label of RFC 1123 (or several with dots between them); the service checks it. */
const name = { type: "string", min: 1, max: 253 } as const;

/** A secret without its values. */
export const secretEntry = schema({ name, keys: texts });
export type SecretEntry = Output<typeof secretEntry>;

const entry = { type: "object", props: secretEntry } as const;

export const secrets = defineContract("secrets", {
	list: {
		rest: "GET /secrets",
		summary: "Names and keys of the caller's secrets, by name",
		params: pageParams,
		...pageOf(entry),
		errors: [400],
	},
	create: {
		rest: "POST /secrets",
		summary: "Create a secret; its values are not shown again",
		example: { name: "registry", data: { token: "the token" } },
		status: 201,
		params: {
			name,
			data: {
				...textMap,
				max_bytes: 32_768,
				description: "Values by key, at least one; a key has letters, digits, `-`, `_` and `.`",
			},
		},
		returns: entry,
		errors: [400, 409, 503],
	},
	get: {
		rest: "GET /secrets/:name",
		summary: "Name and keys of one of the caller's secrets",
		params: { name },
		returns: entry,
		errors: [404],
	},
});
