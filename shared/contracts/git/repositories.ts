/** The contract of repositories at git providers: GitHub, GitLab, Gitea. */
import { defineContract } from "../contract.ts";
import { gitHostTypes } from "#shared/base/git-hosts.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { nullableText, text, textMap, texts } from "../field-rules.ts";

/** The kinds of git hosts: those that have an adapter, and those of the contract that have none. */
export const gitProviderTypes = [...new Set([...gitHostTypes, "bitbucket", "generic"] as const)];
export type GitProviderType = (typeof gitProviderTypes)[number];

const type = { type: "enum", values: gitProviderTypes } as const;

export const repoUrl = {
	type: "string",
	min: 1,
	max: 2_048,
	description: "URL of the repository: https, ssh, `git@host:org/repo`; `org/repo` is one of the first GitHub",
} as const;

export const provider = schema({ name: text, type, orgs: texts });
export type Provider = Output<typeof provider>;

export const repository = schema({
	provider: type,
	org: text,
	name: text,
	url: { ...text, description: "The web page" },
	clone_url: { ...text, description: "The URL for git; it holds no credential" },
	default_branch: text,
	branches: { ...texts, description: "The default one in lists: `GET /repos/branches` has all" },
});
export type Repository = Output<typeof repository>;

const validation = schema({
	valid: { type: "boolean" },
	repo_url: text,
	provider: { ...nullableText, description: "Name of the provider that serves it" },
	reason: { ...nullableText, description: "Why it is not valid" },
});
export type RepoValidation = Output<typeof validation>;

const record = { type: "object", props: repository } as const;
const map = { ...textMap, default: {}, max_bytes: 131_072 } as const;
/** The time of requests to providers, in milliseconds, with the way to and from the service. */
const timeout = 15_000;

export const repositories = defineContract("repositories", {
	providers: {
		rest: ["GET /providers", "GET /repos/providers"],
		summary: "The git providers of the configuration, in the order in which they are asked",
		params: pageParams,
		...pageOf({ type: "object", props: provider }),
		errors: [400, 503],
	},
	branches: {
		rest: "GET /repos/branches",
		summary: "The branches of a repository, the default one first, by the caller's own connection or the configuration",
		params: { repo_url: repoUrl, ...pageParams },
		...pageOf(text),
		errors: [400, 404, 502, 503],
		timeout,
	},
	validate: {
		rest: "GET /repos/validate",
		summary: "Whether a repository can be read; one that cannot be is no error",
		params: { repo_url: repoUrl },
		returns: { type: "object", props: validation },
		errors: [503],
		timeout,
	},
	of_org: {
		rest: "GET /repos/:provider/orgs/:org",
		summary: "The repositories of an organization, group or user",
		params: {
			provider: { type: "string", min: 1, max: 255, description: "Name or type of the provider" },
			org: {
				type: "string",
				min: 1,
				max: 255,
				description: "Organization, group (with `%2F` before a sub-group) or user",
			},
			...pageParams,
		},
		...pageOf(record),
		errors: [400, 404, 502, 503],
		timeout,
	},
	shared: {
		rest: ["GET /repos", "GET //api/v1/niuu/repos"],
		summary:
			"The repositories of all organizations of the caller's providers, by the provider's name; Atelier-Warnings names providers that could not be asked",
		params: {},
		returns: {
			type: "object",
			props: {
				repositories: { type: "record", key: text, value: { type: "array", items: record } },
				warnings: texts,
			},
		},
		warned: "repositories",
		errors: [503],
		timeout,
	},
	missing: {
		effect: "read",
		summary: "Sentences about those of the repositories that their providers say do not exist for the caller",
		params: { repo_urls: { type: "array", max: 50, items: repoUrl } },
		returns: texts,
		timeout,
	},
	probe: {
		access: "system",
		effect: "read",
		summary: "Ask the provider of a connection for the account of its credential",
		params: { adapter: { type: "string", min: 1, max: 200 }, config: map, credential: map },
		returns: { type: "object", props: { user: text, workspace: nullableText } },
		timeout,
	},
});
