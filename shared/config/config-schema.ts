/**
 * The schema of the configuration: every key with its default and its meaning. docs/configuration.md is generated from
 * it.
 */
import { adapterFields } from "./adapter.ts";
import { mcpServerFields } from "./mcp-server-fields.ts";
import { schema } from "../bus/schema.ts";

/** An amount in US dollars; absent: no limit. */
const dollars = { type: "number", min: 0, max: 1_000_000, optional: true } as const;
/** A text that may be absent. */
const given = { type: "string", min: 1, optional: true } as const;
const adapter = { type: "object", props: adapterFields } as const;

export const configSchema = schema({
	data_dir: {
		type: "string",
		min: 1,
		default: "data",
		description: "Folder of everything the platform keeps; short form `DATA_DIR`",
	},
	installation_key: {
		type: "string",
		default: "",
		description:
			"32 bytes in base64url; empty: `keys/installation` in the data folder, made once. Environment `ATELIER_INSTALLATION_KEY`",
	},
	bus: {
		type: "object",
		props: {
			url: {
				type: "string",
				default: "",
				pattern: "^$|^(nats|tls)://",
				description:
					"NATS server, e.g. `nats://127.0.0.1:4222` or `tls://nats.example:4222`; empty: all services in this process",
			},
			user: { ...given, description: "User of NATS; before the one in the URL" },
			password: { ...given, description: "Their password; better in the environment, `BUS__PASSWORD`" },
			token: { ...given, description: "Token of NATS in the place of a user" },
			credentials_file: { ...given, description: "`.creds` file, or the seed of an NKey, in the place of a user" },
			ca_file: { ...given, description: "Certificates of the authority that NATS' own is from; empty: the system's" },
			cert_file: { ...given, description: "Certificate shown to NATS" },
			key_file: { ...given, description: "Its key" },
			log_level: {
				type: "enum",
				values: ["fatal", "error", "warn", "info", "debug"],
				default: "warn",
				description: "What the bus and the services log",
			},
		},
	},
	gateway: {
		type: "object",
		props: {
			host: { type: "string", min: 1, default: "127.0.0.1", description: "Address to listen on; short form `HOST`" },
			port: {
				type: "number",
				integer: true,
				min: 0,
				max: 65_535,
				default: 8080,
				description: "Short form `PORT`; 0 takes a free one",
			},
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
				description: "Other product names that answer as well",
			},
			allowed_hosts: {
				type: "array",
				items: { type: "string", min: 1 },
				default: [],
				description: "Values of `Host` beside the address listened on, without port",
			},
			allowed_origins: {
				type: "array",
				items: { type: "string", min: 1 },
				default: [],
				description: "Values of `Origin` that web pages may call from, beside the platform's own",
			},
			public_url: {
				type: "string",
				default: "",
				pattern: "^$|^https?://[^/]+$",
				description: "How pods and people reach the gateway; empty: `http://<host>:<port>`",
			},
		},
	},
	identity: { ...adapter, description: "Who callers are" },
	store: { ...adapter, description: "Where documents are kept" },
	pods: {
		type: "object",
		props: {
			runtime: { ...adapter, description: "Where session pods run" },
			starting_per_owner: {
				type: "number",
				integer: true,
				min: 1,
				optional: true,
				description:
					"Sessions of one owner that start at a time, others of theirs wait; empty: twice as many as the pod manager has processors",
			},
			on_exit: {
				type: "enum",
				values: ["keep", "stop"],
				default: "keep",
				description: "What an orderly end of the platform does to running sessions",
			},
		},
	},
	models: {
		type: "object",
		props: {
			file: {
				type: "string",
				min: 1,
				default: "config/models.yaml",
				description: "Models, their providers and prices; from the project's folder, or absolute",
			},
		},
	},
	budgets: {
		type: "object",
		props: {
			session_limit: { ...dollars, description: "What a new session may spend, in US dollars; empty: no limit" },
			user_daily_limit: {
				...dollars,
				description: "What a user may spend a day (UTC), unless an administrator says otherwise; empty: no limit",
			},
			tenant_daily_limit: {
				...dollars,
				description: "What a tenant may spend a day (UTC), unless an administrator says otherwise; empty: no limit",
			},
		},
	},
	stream: {
		type: "object",
		props: {
			heartbeat_seconds: {
				type: "number",
				integer: true,
				min: 1,
				max: 300,
				default: 30,
				description: "Interval of `heartbeat` and `stats_updated`",
			},
			max_clients: {
				type: "number",
				integer: true,
				min: 1,
				default: 2_000,
				description: "Streams per gateway process; more get 503",
			},
		},
	},
	shutdown: {
		type: "object",
		props: {
			unready_ms: {
				type: "number",
				integer: true,
				min: 0,
				max: 10_000,
				optional: true,
				description:
					"How long an ending gateway says 503 at `/ready` and still takes requests, so that load balancers notice; empty: 2000, and 0 where one process with an identity that trusts its callers is all there is",
			},
		},
	},
	git: {
		type: "object",
		props: {
			allowed_protocols: {
				type: "array",
				items: { type: "enum", values: ["https", "ssh", "http", "file"] },
				default: [],
				description:
					"Which repositories may be named; empty: by identity (`dev`: https, ssh, file, and http to loopback; otherwise https, ssh)",
			},
		},
	},
	templates: { ...adapter, description: "Where templates come from" },
	mcp_servers: {
		type: "array",
		max: 100,
		items: { type: "object", props: mcpServerFields },
		default: [],
		description:
			"MCP servers that clients offer: `name`, `type`, `command`, `args`, `url`, `env`, `headers`, `description`",
	},
	features: {
		type: "object",
		props: {
			local_mounts: {
				type: "boolean",
				default: false,
				description: "Sessions may use folders of this host; no runtime of this version can",
			},
			file_manager: {
				type: "boolean",
				default: false,
				description:
					"Default of the admin setting `storage.file_manager_enabled`: clients may offer a file manager; this version has none",
			},
		},
	},
	auth_discovery: {
		type: "object",
		props: {
			issuer: { type: "string", default: "", description: "OpenID issuer told to clients; empty: 404" },
			cli_client_id: { type: "string", default: "atelier-cli", description: "Public client for command line logins" },
			scopes: { type: "string", default: "openid profile email", description: "Scopes told to clients" },
		},
	},
});
