/**
 * The schema of the configuration: every key with its default and its meaning. docs/configuration.md is generated from
 * it.
 */
import { bound } from "#shared/base/bounds.ts";
import { adapterFields } from "./fields/adapter-fields.ts";
import { gitFields } from "./fields/git-fields.ts";
import { integrationFields } from "./fields/integration-fields.ts";
import { diskFields } from "./fields/disk-fields.ts";
import { limitFields } from "./fields/limit-fields.ts";
import { mcpServerFields } from "./fields/mcp-server-fields.ts";
import { logFields, opsFields, tracingFields } from "./fields/operation-fields.ts";
import { oauthFields } from "./fields/oauth-fields.ts";
import { outboundFields } from "./fields/outbound-fields.ts";
import { patFields } from "./fields/pat-fields.ts";
import { podFields } from "./fields/pod-fields.ts";
import { schema } from "#shared/base/schema/schema.ts";
import { linearFields, trackerFields } from "./fields/tracker-fields.ts";
import { workspaceFields } from "./fields/workspace-fields.ts";
import { flag, port, section, text, whole } from "./fields/field-rules.ts";

/** An amount in US dollars; absent: no limit. */
const dollars = { type: "number", min: 0, max: 1_000_000, optional: true } as const;
/** A text that may be absent. */
const given = { type: "string", min: 1, optional: true } as const;
const adapter = { type: "object", props: adapterFields } as const;

export const configSchema = schema({
	data_dir: {
		...text,
		description:
			"Folder of all data of the platform; short form `DATA_DIR`; empty: `$XDG_DATA_HOME/atelier`, or `~/.local/share/atelier`",
	},
	installation_key: {
		...text,
		description:
			"32 bytes in base64url; empty: `keys/installation` in the data folder, created once. Environment variable `ATELIER_INSTALLATION_KEY`",
	},
	disk: section(diskFields),
	bus: section({
		url: {
			...text,
			pattern: "^$|^(nats|tls)://",
			description:
				"NATS server, e.g. `nats://127.0.0.1:4222` or `tls://nats.example:4222`; empty: all services in this process",
		},
		user: { ...given, description: "User of NATS; has precedence over the one in the URL" },
		password: {
			...given,
			description: "Password of that user; better set by the environment variable `BUS__PASSWORD`",
		},
		token: { ...given, description: "Token of NATS instead of a user" },
		credentials_file: { ...given, description: "`.creds` file, or the seed of an NKey, instead of a user" },
		ca_file: {
			...given,
			description: "Certificates of the authority that signed the certificate of NATS; empty: the system's",
		},
		cert_file: { ...given, description: "Certificate of the platform for NATS" },
		key_file: { ...given, description: "Key of that certificate" },
		log_level: {
			type: "enum",
			values: ["fatal", "error", "warn", "info", "debug"],
			default: "warn",
			description: "Least level of what the bus and the services log",
		},
	}),
	gateway: section({
		host: { type: "string", min: 1, default: "127.0.0.1", description: "Address to listen on; short form `HOST`" },
		port: { ...port, default: 8080, description: "Port to listen on; short form `PORT`; 0 takes a free one" },
		product: {
			type: "string",
			pattern: "^[a-z][a-z0-9-]*$",
			default: "svc",
			description: "Path prefix `/api/v1/<product>`",
		},
		aliases: {
			type: "array",
			items: { type: "string", pattern: "^[a-z][a-z0-9-]*$" },
			default: [],
			description: "Further product names with the same routes",
		},
		allowed_hosts: {
			type: "array",
			items: { type: "string", min: 1 },
			default: [],
			description: "Allowed values of `Host` beside the address listened on, without port",
		},
		allowed_origins: {
			type: "array",
			items: { type: "string", min: 1 },
			default: [],
			description: "Allowed values of `Origin` of web pages, beside the platform's own",
		},
		public_url: {
			...text,
			pattern: "^$|^https?://[^/]+$",
			description: "URL at which pods and people reach the gateway; empty: `http://<host>:<port>`",
		},
	}),
	identity: { ...adapter, description: "Identity of callers" },
	store: { ...adapter, description: "Store of documents" },
	pods: section(podFields),
	models: section({
		file: {
			type: "string",
			min: 1,
			default: "config/models.yaml",
			description: "File with models, providers and prices; a path from the project's folder, or an absolute one",
		},
	}),
	budgets: section({
		session_limit: { ...dollars, description: "Limit of a new session's cost in US dollars; empty: no limit" },
		user_daily_limit: {
			...dollars,
			description:
				"Daily limit (UTC) of a user in US dollars, unless an administrator sets another one; empty: no limit",
		},
		tenant_daily_limit: {
			...dollars,
			description:
				"Daily limit (UTC) of a tenant in US dollars, unless an administrator sets another one; empty: no limit",
		},
	}),
	stream: section({
		heartbeat_seconds: {
			...whole,
			min: 1,
			max: 300,
			default: 30,
			description: "Interval of `heartbeat` and `stats_updated` in seconds",
		},
		max_clients: {
			...whole,
			min: 1,
			default: bound.streams,
			description: "Most streams per gateway process; further ones get 503",
		},
	}),
	ops: section(opsFields),
	log: section(logFields),
	tracing: section(tracingFields),
	processes: section({
		rollout: {
			...text,
			max: 100,
			description:
				"Label of the configuration: processes of one label must have the same models, templates and agents; another label lets them differ during an update",
		},
	}),
	shutdown: section({
		unready_ms: {
			...whole,
			min: 0,
			max: 10_000,
			optional: true,
			description:
				"Milliseconds in which an ending gateway answers 503 at `/ready` and still accepts requests, so that load balancers notice; empty: 2000, or 0 for a single process with an identity that trusts its callers",
		},
	}),
	git: section(gitFields),
	oauth: section(oauthFields),
	outbound: section(outboundFields),
	workspaces: section(workspaceFields),
	templates: { ...adapter, description: "Source of templates" },
	secrets: { ...adapter, description: "Store of the secrets of users" },
	credential_store: { ...adapter, description: "Store of credentials (docs/credentials.md)" },
	secret_injection: { ...adapter, description: "How the credentials that a session names get into its pod" },
	integrations: section(integrationFields),
	mcp_servers: {
		type: "array",
		max: 100,
		items: section(mcpServerFields),
		default: [],
		description:
			"MCP servers that clients offer: `name`, `type`, `command`, `args`, `url`, `env`, `headers`, `description`",
	},
	audit: section({
		retention_days: {
			...whole,
			min: 1,
			max: 36_500,
			default: 400,
			description: "How long entries of the audit log are kept, in days",
		},
	}),
	features: section({
		file_manager: {
			...flag,
			description:
				"Default of the admin setting `storage.file_manager_enabled`: clients may offer a file manager; this version has none",
		},
	}),
	limits: section(limitFields),
	pat: section(patFields),
	linear: section(linearFields),
	tracker: section(trackerFields),
	tenants: section({
		default: {
			type: "string",
			min: 1,
			max: 100,
			default: "default",
			description: "Tenant of the operators: its administrators administer all tenants",
		},
		default_by_claim: {
			...flag,
			description:
				"Whether the word of an identity provider may make operators, by the tenant claim or by the role `admin` of somebody without one; false: such people are refused unless an operator has added them. Always true with `OidcTeamIdentity`",
		},
		home: {
			...text,
			max: 100,
			description:
				"Tenant of people whose identity provider names no tenants, whom nobody has added to one and who were removed from none; empty: `tenants.default` with `OidcTeamIdentity`, otherwise they are refused",
		},
		role_prefix: {
			...text,
			max: 50,
			description: "Text before the names of roles in answers, for clients that compare with it (`volundr:`)",
		},
	}),
	auth_discovery: section({
		issuer: { ...text, description: "OpenID issuer for clients; empty: that of `identity.kwargs`, or 404" },
		cli_client_id: { type: "string", default: "atelier-cli", description: "Public client for command-line logins" },
		scopes: { type: "string", default: "openid profile email", description: "Scopes for clients" },
	}),
});
