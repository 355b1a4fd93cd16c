/**
 * The contract by which the platform's own services keep the tokens of a person's logins as credentials. Values travel
 * in sealed packets; they are neither logged nor stored elsewhere.
 */
import { defineContract } from "../contract.ts";
import { person, text, textMap } from "../field-rules.ts";

const name = { ...text, min: 1, max: 253 } as const;
const texts = { ...textMap, max_bytes: 32_768 } as const;

export const tokenCredentials = defineContract("token-credentials", {
	read: {
		access: "system",
		summary: "The values of a person's own credential by field; null when there is none",
		params: { ...person, name },
		returns: { ...textMap, nullable: true },
		timeout: 3_000,
		idempotent: true,
	},
	put: {
		access: "system",
		summary: "Store a credential of the type oauth_token; one of the same name is replaced",
		params: { ...person, name, data: texts, metadata: { ...texts, max_bytes: 4_096 } },
		timeout: 5_000,
		idempotent: true,
	},
	delete: {
		access: "system",
		summary: "Delete a person's own credential; false when there is none",
		params: { ...person, name },
		returns: { type: "boolean" },
		timeout: 5_000,
		idempotent: true,
	},
});
