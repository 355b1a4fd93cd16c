/**
 * The contract by which a launch gets the secrets that its session names. Only the platform's own services may call it;
 * the values travel from the credentials service to the pod manager and into the launch document, and are stored
 * nowhere else.
 */
import { defineContract } from "../contract.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { launchMappingFields } from "./launch-mapping.ts";
import { podSecretsFields } from "./pod-secrets.ts";
import { secretTypes } from "./secret-types.ts";
import { person, text, textMap, texts } from "../field-rules.ts";

const names = { type: "array", max: 100, items: { ...text, max: 253 } } as const;
const mappings = {
	type: "array",
	max: 200,
	items: { type: "object", props: launchMappingFields },
	default: [],
} as const;

const namedValues = schema({
	name: text,
	secret_type: { type: "enum", values: secretTypes },
	/** The values by field. */
	data: textMap,
});
export type NamedValues = Output<typeof namedValues>;

export const injection = defineContract("injection", {
	prepare: {
		access: "system",
		summary: "The secrets of one launch: environment variables, files and git credentials",
		params: {
			...person,
			session_id: { ...text, max: 36 },
			credential_names: names,
			tenant_credentials: {
				...names,
				description: "Those of the names that are the tenant's",
			},
			mappings,
		},
		returns: { type: "object", props: podSecretsFields },
		timeout: 4_000,
		idempotent: true,
	},
	whose: {
		access: "system",
		summary: "Which of the names are credentials of the tenant and not of the person, and which ones nobody has",
		params: { ...person, credential_names: names },
		returns: {
			type: "object",
			props: { tenant: texts, missing: texts },
		},
		timeout: 2_000,
		idempotent: true,
	},
	values: {
		access: "system",
		summary: "The credentials of these names with their values: the person's own ones, or else those of the tenant",
		params: { ...person, names: { ...names, max: 20 } },
		returns: { type: "array", items: { type: "object", props: namedValues } },
		timeout: 3_000,
		idempotent: true,
	},
});
