/** The contract of integrations: the catalogue of definitions, and the connections of people. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import {
	configSchemaFields,
	credentialSchemaFields,
	integrationTypes,
	mcpServerSpecFields,
} from "./definition-fields.ts";
import { absentOrNull, nullableText, text, textMap, texts, time } from "../field-rules.ts";

const integrationType = { type: "enum", values: integrationTypes } as const;
/** An id in a path. One of another form belongs to no connection, so that it is unknown and not invalid. */
const identified = { id: { type: "string", min: 1, max: 255 } } as const;
const credentialName = { type: "string", min: 1, max: 253 } as const;
const config = {
	type: "record",
	key: text,
	value: { type: "string", max: 2_048 },
	max_bytes: 16_384,
	description: "Settings by the keys of the definition's `config_schema`",
} as const;

export const catalogEntry = schema({
	slug: text,
	name: text,
	description: text,
	integration_type: integrationType,
	adapter: { ...text, description: "Empty for entries that only set variables" },
	icon: text,
	credential_schema: { type: "object", props: credentialSchemaFields },
	config_schema: { type: "object", props: configSchemaFields },
	mcp_server: { type: "object", props: mcpServerSpecFields, nullable: true },
	auth_type: text,
	oauth_scopes: texts,
});
export type CatalogEntry = Output<typeof catalogEntry>;

export const connection = schema({
	id: text,
	integration_type: integrationType,
	adapter: text,
	credential_name: text,
	config: textMap,
	enabled: { type: "boolean" },
	created_at: time,
	updated_at: time,
	slug: text,
});
export type Connection = Output<typeof connection>;

const connectionCreate = schema({
	integration_type: { type: "string", min: 1, max: 50, description: `One of ${integrationTypes.join(", ")}` },
	adapter: { ...text, max: 500, default: "", description: "Empty, or the adapter of the catalogue's entry" },
	credential_name: credentialName,
	config: { ...config, default: {} },
	enabled: { type: "boolean", default: true },
	slug: {
		...text,
		max: 100,
		default: "",
		description: "The entry of the catalogue; empty: the only one of this type and adapter",
	},
});
export type ConnectionCreate = Output<typeof connectionCreate>;

const connectionUpdate = schema({
	credential_name: { ...credentialName, ...absentOrNull },
	config: { ...config, ...absentOrNull },
	enabled: { type: "boolean", ...absentOrNull },
});
export type ConnectionUpdate = Output<typeof connectionUpdate>;

export const testResult = schema({
	success: { type: "boolean" },
	provider: { ...text, description: "The adapter, or the entry of the catalogue where it has none" },
	workspace: nullableText,
	user: nullableText,
	error: { ...nullableText, description: "What failed; null after a success" },
});
export type TestResult = Output<typeof testResult>;

const record = { type: "object", props: connection } as const;

export const integrations = defineContract("integrations", {
	catalog: {
		rest: "GET /integrations/catalog",
		summary: "The integrations that connections can be made to, by name",
		params: pageParams,
		...pageOf({ type: "object", props: catalogEntry }),
		errors: [400],
	},
	list: {
		rest: "GET /integrations",
		summary: "The caller's connections, newest first",
		params: pageParams,
		...pageOf(record),
		errors: [400],
	},
	create: {
		rest: "POST /integrations",
		summary: "Create a connection of the caller",
		example: { integration_type: "source_control", slug: "github", credential_name: "example", enabled: false },
		status: 201,
		params: connectionCreate,
		returns: record,
		errors: [409],
	},
	update: {
		rest: "PUT /integrations/:id",
		summary: "Change a connection of the caller; absent and null members stay",
		params: { ...identified, ...connectionUpdate },
		returns: record,
		errors: [404],
	},
	delete: {
		rest: "DELETE /integrations/:id",
		summary: "Delete a connection of the caller; its credential stays",
		params: identified,
		errors: [404],
	},
	test: {
		rest: "POST /integrations/:id/test",
		summary: "Try a connection of the caller; 200 whatever comes of it",
		params: identified,
		returns: { type: "object", props: testResult },
		timeout: 15_000,
		errors: [404],
	},
});
