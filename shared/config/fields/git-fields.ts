/** The keys `git.*` of the configuration. */
import { type GitHost, gitHosts, gitHostTypes } from "#shared/base/git-hosts.ts";
import { schema } from "#shared/base/schema/schema.ts";
import { flag, section, text } from "./field-rules.ts";

const url = {
	...text,
	max: 2_048,
	pattern: "^$|^https?://[^\\s@?#]+$",
} as const;
const secret = { type: "string", default: "", max: 10_000 } as const;
const variable = { type: "string", default: "", pattern: "^\\w*$", max: 200 } as const;
const orgs = { type: "array", items: { type: "string", min: 1, max: 255 }, max: 1_000, default: [] } as const;

/** One account at one host. */
const instanceFields = schema({
	name: { type: "string", min: 1, max: 100 },
	base_url: url,
	token: secret,
	token_env: variable,
	orgs,
	webhook_secret: secret,
	webhook_secret_env: variable,
});

function hostFields({ product, address }: (typeof gitHosts)[GitHost]) {
	return section({
		enabled: {
			type: "boolean",
			optional: true,
			description: `Whether ${product} is asked; empty: when there is a token or an instance`,
		},
		base_url: { ...url, description: `Address of ${address}` },
		token: {
			...secret,
			description: "Token of instances without one of their own; better set by an environment variable",
		},
		token_env: { ...variable, description: "Environment variable with that token" },
		orgs: {
			...orgs,
			description:
				"Organizations whose repositories people read and write with the token; empty: they read all, and write none",
		},
		webhook_secret: {
			...secret,
			description:
				"Secret of the webhooks of instances without one of their own (docs/webhooks.md); empty: webhooks are refused",
		},
		webhook_secret_env: { ...variable, description: "Environment variable with that secret" },
		instances: {
			type: "array",
			items: section(instanceFields),
			max: 50,
			default: [],
			description:
				"Several accounts or hosts: `name`, `base_url`, `token`, `token_env`, `orgs`, `webhook_secret`, `webhook_secret_env`",
		},
	});
}

const hosts = Object.fromEntries(gitHostTypes.map((type) => [type, hostFields(gitHosts[type])])) as Record<
	GitHost,
	ReturnType<typeof hostFields>
>;

/** Globs of paths; `**` stands for any folders. */
const globs = { type: "array", items: { type: "string", min: 1, max: 200 }, max: 200 } as const;
const threshold = { type: "number", min: 0, max: 1 } as const;

export const gitFields = schema({
	allowed_protocols: {
		type: "array",
		items: { type: "enum", values: ["https", "ssh", "http", "file"] },
		default: [],
		description:
			"Protocols with which repositories may be named; empty: by identity (`dev`: https, ssh, file, and http to loopback; otherwise https, ssh)",
	},
	local_mounts: section({
		enabled: { ...flag, description: "Whether sessions may use folders of this host" },
		allowed_prefixes: {
			type: "array",
			items: { type: "string", pattern: "^/[^\\0]*$", max: 4_096 },
			max: 100,
			default: [],
			description: "Folders at or below which they have to be; `/` stands for all",
		},
	}),
	...hosts,
	workflow: section({
		auto_branch: {
			type: "boolean",
			default: true,
			description: "Whether a session that works on its target branch gets a branch of its own for a pull request",
		},
		branch_prefix: {
			type: "string",
			default: "atelier/session",
			pattern: "^[A-Za-z0-9_][A-Za-z0-9_/-]*$",
			max: 100,
			description: "Beginning of the names of such branches, before `/<session>`",
		},
		protect_main: {
			type: "boolean",
			default: true,
			description: "Whether sessions never push to the target branch of a pull request",
		},
		default_merge_method: {
			type: "enum",
			values: ["merge", "squash", "rebase"],
			default: "squash",
			description: "How pull requests are merged when nobody says it",
		},
		auto_merge_threshold: {
			...threshold,
			default: 0.9,
			description: "Least score of merge confidence that recommends `auto_merge`",
		},
		notify_merge_threshold: {
			...threshold,
			default: 0.6,
			description: "Least score that recommends `notify_then_merge`",
		},
		confidence: section({
			categories: {
				type: "record",
				key: { type: "string" },
				value: globs,
				default: {},
				description:
					"Lists of globs of paths by category of change; each one replaces the built-in list (docs/merge-confidence.md)",
			},
			dependency_files: {
				...globs,
				default: [],
				description: "Globs of manifests and lock files; empty: the built-in list",
			},
		}),
	}),
	validate_on_create: {
		...flag,
		description:
			"Whether a new session asks the git provider for its repositories, for 2 s at most, and is refused when one does not exist",
	},
});
