/** The secrets of one launch: what the platform puts into a pod from credentials, and what the pod does with it. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { text, textMap, texts } from "../field-rules.ts";

/** The folders below which a secret may become a file: the home of the agent, and the folder of the secrets. */
export const secretRoots = ["home", "secrets"] as const;
export type SecretRoot = (typeof secretRoots)[number];

const file = schema({
	root: { type: "enum", values: secretRoots },
	/** The path below the root, normalised and without `..`. */
	path: text,
	content: text,
});
export type SecretFile = Output<typeof file>;

/** A program that is an MCP server. */
export const mcpProgram = schema({
	name: text,
	command: text,
	args: texts,
	/** Its environment variables; in the mapping of a launch, the field of the credential for each. */
	env: textMap,
});
/** An MCP server that needs a credential; the coding agent starts it. */
export type SecretMcpServer = Output<typeof mcpProgram>;

export const podSecretsFields = schema({
	/** The environment variables, by name. They are rendered into one file, which the entrypoint sources. */
	variables: textMap,
	/** The files, each with a place of its own. */
	files: { type: "array", max: 1_000, items: { type: "object", props: file } },
	/** URLs with user and password for git, each of one host; git asks for them by a credential helper. */
	git_credentials: { type: "array", max: 1_000, items: text },
	/** MCP servers for the coding agent; absent: none. */
	mcp_servers: { type: "array", max: 200, items: { type: "object", props: mcpProgram }, optional: true },
	/** Sentences about what is missing. They hold no value. */
	warnings: texts,
});
export type PodSecrets = Output<typeof podSecretsFields>;

/** The most bytes of the secrets of one launch as JSON; the launch document has a bound of 2 MiB. */
export const maxSecretsBytes = 400_000;

/** The name of the variable with the folder of the secrets. */
export const secretsVariable = "ATELIER_SECRETS";
