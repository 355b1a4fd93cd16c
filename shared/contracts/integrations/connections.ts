/**
 * The contract by which the platform's own services use the connections of a person. Credentials travel in the answers,
 * in sealed packets; they are neither logged nor stored.
 */
import { defineContract } from "../contract.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { launchMappingFields } from "../credentials/launch-mapping.ts";
import { integrationTypes } from "./definition-fields.ts";
import { person, text, textMap, texts } from "../field-rules.ts";

const ids = { type: "array", max: 100, items: { ...text, max: 255 } } as const;

/** An enabled connection with its credential. */
const usableConnection = schema({
	id: text,
	slug: text,
	/** The adapter of the type's port: its short name or its module. */
	adapter: text,
	config: textMap,
	/** The values of the credential by field. */
	credential: textMap,
	created_at: { ...text, format: "date-time" },
});
export type UsableConnection = Output<typeof usableConnection>;

const namingConnection = schema({
	id: text,
	owner: text,
	/** Whether sessions of the owner get it that name no connections. */
	unnamed: { type: "boolean" },
});
export type NamingConnection = Output<typeof namingConnection>;

export const connections = defineContract("connections", {
	usable: {
		access: "system",
		summary: "The person's enabled connections of a type with their credentials, newest first, at most 20",
		params: {
			...person,
			integration_type: { type: "enum", values: integrationTypes },
			ids: { ...ids, optional: true },
		},
		returns: { type: "array", items: { type: "object", props: usableConnection } },
		timeout: 4_000,
		idempotent: true,
	},
	launch: {
		access: "system",
		summary: "The mappings of the connections that a launch uses; without ids those that the configuration says",
		params: {
			...person,
			session_id: { ...text, max: 36 },
			integration_ids: ids,
			repositories: { type: "array", max: 100, items: text, default: [], description: "The URLs of the session" },
		},
		returns: {
			type: "object",
			props: {
				mappings: { type: "array", items: { type: "object", props: launchMappingFields } },
				warnings: texts,
			},
		},
		timeout: 4_000,
		idempotent: true,
	},
	connected: {
		access: "system",
		summary: "Those of the people who have a connection, enabled or not; nobody else's sessions get anything of one",
		params: { people: { type: "array", max: 100, items: { type: "object", props: person } } },
		returns: { type: "array", items: { type: "object", props: person } },
		timeout: 4_000,
		idempotent: true,
	},
	unusable: {
		access: "system",
		summary: "Sentences about those of the ids that no launch of the person can use",
		params: { ...person, integration_ids: ids },
		returns: texts,
		timeout: 2_000,
		idempotent: true,
	},
	naming: {
		access: "system",
		summary: "The connections that name a credential; of all people of the tenant without an owner, at most 500",
		params: {
			tenant: person.tenant,
			owner: { ...person.owner, optional: true },
			credential_name: { ...text, max: 253 },
		},
		returns: { type: "array", items: { type: "object", props: namingConnection } },
		timeout: 2_000,
		idempotent: true,
	},
});
