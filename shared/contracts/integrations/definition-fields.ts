/** The form of an integration definition: configuration that says what a connection is made of and what it gives to sessions. */
import { type Output, schema } from "#shared/base/schema/schema.ts";

const text = { type: "string", max: 1_000 } as const;
const label = { ...text, default: "" } as const;
const texts = { type: "array", max: 100, items: text, default: [] } as const;
/** A map of texts, e.g. of variables to fields of the credential. */
const map = { type: "record", key: { type: "string" }, value: text, max_bytes: 16_384, default: {} } as const;

export const integrationTypes = ["source_control", "issue_tracker", "messaging", "ai_provider", "code_forge"] as const;
export type IntegrationType = (typeof integrationTypes)[number];

/** The form of a slug, which is also a part of file names and of credential names. */
export const slugForm = "^[a-z0-9][a-z0-9_-]*$";
const slugWords =
	"begin with a lower-case letter or digit, and have only lower-case letters, digits, hyphens and underscores";

/** A field of the credential, for forms. */
const credentialField = schema({
	label,
	type: { type: "enum", values: ["text", "password", "textarea"], default: "password" },
	description: label,
});

/** A key of the connection's own settings, for forms. A value of the type `url` is checked before it is stored. */
const configField = schema({
	label,
	type: { type: "enum", values: ["string", "url", "list"], default: "string" },
	description: label,
	default: { ...text, optional: true },
});

export const credentialSchemaFields = schema({
	/** The fields that a credential must have. */
	required: texts,
	properties: {
		type: "record",
		key: { type: "string" },
		value: { type: "object", props: credentialField },
		default: {},
	},
});

export const configSchemaFields = schema({
	/** The keys that a connection must have. */
	required: texts,
	properties: { type: "record", key: { type: "string" }, value: { type: "object", props: configField }, default: {} },
});

const shownMcpServer = {
	name: { type: "string", min: 1, max: 100 },
	command: { type: "string", min: 1, max: 1_000 },
	args: texts,
	/** Environment variable of the server to field of the credential. */
	env_from_credentials: map,
} as const;

export const mcpServerSpecFields = schema(shownMcpServer);

const placedMcpServer = schema({
	...shownMcpServer,
	/** The only host that the server speaks to, which gets the credential; empty: it serves every connection and session. */
	host: label,
	/** The setting of the connection that names another host. */
	config_key: { ...text, default: "base_url" },
});

const oauthFields = schema({
	authorize_url: { ...text, min: 1 },
	token_url: { ...text, min: 1 },
	/** Empty: the provider revokes no tokens on request. */
	revoke_url: label,
	scopes: texts,
	/** Field of the credential to member of the token answer; empty: `access_token` alone. */
	token_field_mapping: map,
	extra_authorize_params: map,
	extra_token_params: map,
	/** The issuer that the provider names in its redirects (RFC 9207); empty: it names none. */
	issuer: label,
});

/** How git authenticates at the host of a connection. */
const gitCredentialFields = schema({
	/** The user that the host expects beside a token. */
	username: { ...text, min: 1 },
	/** The field of the credential that is the password. */
	field: { ...text, min: 1 },
	/** The host without a setting of the connection, as an origin. */
	url: { ...text, min: 1 },
	/** The setting of the connection that names another server; its path is left out. */
	config_key: { ...text, default: "base_url" },
	/** The start of a server's name that hosts of repositories do not have, e.g. `api.`. */
	drop_prefix: label,
});

/** The request that tests a connection of a type without a port of its own. */
const checkFields = schema({
	/** The server without a setting of the connection; empty: the setting is needed. */
	url: label,
	/** The setting of the connection that names another server. */
	config_key: { ...text, default: "base_url" },
	path: { ...text, min: 1 },
	/** Headers, in which `${field}` stands for a field of the credential. */
	headers: map,
	/** Members of the answer that name the user; the first that is there counts. */
	user: texts,
});

export const definitionFields = schema({
	slug: { type: "string", min: 1, max: 100, pattern: slugForm, words: slugWords },
	name: { type: "string", min: 1, max: 200 },
	description: label,
	integration_type: { type: "enum", values: integrationTypes },
	/** The adapter of the type's port, by its short name or its module; empty: the integration has none. */
	adapter: { ...text, max: 500, default: "" },
	icon: label,
	credential_schema: { type: "object", props: credentialSchemaFields },
	config_schema: { type: "object", props: configSchemaFields, optional: true },
	mcp_server: { type: "object", props: placedMcpServer, optional: true },
	/** Environment variable of a session to field of the credential. */
	env_from_credentials: map,
	/** File in a pod to field of the credential. */
	file_mounts: map,
	auth_type: { type: "enum", values: ["api_key", "oauth2_authorization_code", "pat"], default: "api_key" },
	oauth: { type: "object", props: oauthFields, optional: true },
	git_credential: { type: "object", props: gitCredentialFields, optional: true },
	check: { type: "object", props: checkFields, optional: true },
});
export type IntegrationDefinition = Output<typeof definitionFields>;
