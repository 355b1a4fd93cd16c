/** The contract of credentials: named secrets with a type, of a person or of a tenant. Values come in and never go out. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { secretTypes } from "./secret-types.ts";
import { absentOrNull, text, textMap, texts, time } from "../field-rules.ts";

const secretType = { type: "enum", values: secretTypes } as const;
const name = {
	type: "string",
	min: 1,
	max: 100,
	pattern: "^[a-z0-9_-]+$",
	words: "have only lower-case letters, digits, hyphens and underscores",
} as const;
/** A name in a path. One of another form belongs to no credential, so that it is unknown and not invalid. */
const named = { name: { type: "string", min: 1, max: 255 } } as const;

/** A credential as clients see it: its values are not in it. */
export const credential = schema({
	id: text,
	name: text,
	secret_type: secretType,
	keys: { ...texts, description: "The names of its fields" },
	metadata: textMap,
	created_at: time,
	updated_at: time,
});
export type Credential = Output<typeof credential>;

const credentialCreate = schema({
	name,
	secret_type: {
		type: "string",
		min: 1,
		max: 40,
		default: "generic",
		description: `One of ${secretTypes.join(", ")}; another one is refused with 400`,
	},
	data: { ...textMap, max_bytes: 32_768, description: "Values by field; which fields are needed depends on the type" },
	metadata: {
		...textMap,
		max_bytes: 4_096,
		...absentOrNull,
		description: "Free texts, which everybody who sees the credential can read",
	},
});
export type CredentialCreate = Output<typeof credentialCreate>;

const field = {
	key: text,
	label: text,
	type: { type: "enum", values: ["text", "password", "textarea"] },
	required: { type: "boolean" },
} as const;

/** A type of credentials, for forms. */
export const secretTypeInfo = schema({
	type: secretType,
	label: text,
	description: text,
	fields: { type: "array", items: { type: "object", props: field } },
	default_mount_type: { type: "enum", values: ["env", "file", "template"] },
});
export type SecretTypeInfo = Output<typeof secretTypeInfo>;

/** A running session whose pod has read a credential. */
export const affectedSession = schema({ id: text, name: text });
export type AffectedSession = Output<typeof affectedSession>;

/** The answer is 204 when no running session has the credential. */
const deletion = {
	type: "object",
	nullable: true,
	props: {
		affected_sessions: {
			type: "array",
			items: { type: "object", props: affectedSession },
			nullable: true,
			description: "Sessions that run and keep what they have read, at most 100; null: they could not be looked up",
		},
	},
} as const;

const record = { type: "object", props: credential } as const;
const listed = { secret_type: { ...secretType, optional: true }, ...pageParams } as const;

export const credentials = defineContract("credentials", {
	types: {
		rest: "GET /credentials/types",
		summary: "The types of credentials",
		params: pageParams,
		...pageOf({ type: "object", props: secretTypeInfo }),
		errors: [400],
	},
	list: {
		rest: "GET /credentials",
		summary: "The caller's own credentials, by name",
		params: listed,
		...pageOf(record),
		wrapped: "credentials",
		errors: [400, 503],
	},
	create: {
		rest: "POST /credentials",
		summary: "Store a credential of the caller; one of the same name is replaced",
		example: { name: "example", data: { token: "the token" } },
		status: 201,
		params: credentialCreate,
		returns: record,
		errors: [400, 409, 503],
	},
	get: {
		rest: "GET /credentials/:name",
		summary: "One of the caller's own credentials, without its values",
		params: named,
		returns: record,
		errors: [404, 503],
	},
	delete: {
		rest: "DELETE /credentials/:name",
		summary: "Delete a credential of the caller; 204, or 200 with the sessions that run with it",
		params: named,
		returns: deletion,
		errors: [404, 503],
	},
	list_tenant: {
		rest: "GET /credentials/tenant/list",
		access: "admin",
		summary: "The credentials of the caller's tenant, by name",
		params: listed,
		...pageOf(record),
		wrapped: "credentials",
		errors: [400, 503],
	},
	create_tenant: {
		rest: "POST /credentials/tenant",
		access: "admin",
		summary:
			"Store a credential of the tenant; one of the same name is replaced. Atelier-Warnings names fields that sessions do not get as variables",
		example: { name: "example", data: { token: "the token" } },
		status: 201,
		params: credentialCreate,
		returns: {
			type: "object",
			props: { credential: record, warnings: texts },
		},
		warned: "credential",
		errors: [400, 409, 503],
	},
	delete_tenant: {
		rest: "DELETE /credentials/tenant/:name",
		access: "admin",
		summary: "Delete a credential of the tenant; 204, or 200 with the sessions that run with it",
		params: named,
		returns: deletion,
		errors: [404, 503],
	},
});
