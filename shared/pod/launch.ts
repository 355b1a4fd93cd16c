/**
 * What a session pod is told when it starts: one JSON document on its standard input (a mounted file elsewhere). The
 * platform checks the settings of a launch and the session agent checks the document, both against these schemas.
 */
import { type Output, schema } from "../bus/schema.ts";
import { permissionModes } from "../contracts/session-resource.ts";
import { modelAccessFields, modelRefusalFields } from "../models/model-wire.ts";

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;
const textRecord = { type: "record", key: text, value: text } as const;
/** Short, and harmless in paths. */
const name = { type: "string", pattern: "^[\\w-]{1,40}$" } as const;
/** An empty key would let anybody in. */
const secret = { type: "string", min: 16 } as const;
const absolutePath = { type: "string", pattern: "^/[^\\0]*$" } as const;
const milliseconds = { type: "number", integer: true, min: 1, max: Number.MAX_SAFE_INTEGER } as const;

const repository = schema({
	/** As the user wrote it; empty: the workspace starts as an empty repository. */
	url: text,
	branch: text,
	/** Base of a branch that the remote does not have; empty: the remote's own default branch. */
	base_branch: text,
	/** Folder below the workspace; empty: the workspace itself. */
	path: text,
});
export type Repository = Output<typeof repository>;

/** A Model Context Protocol server the coding agent may use. */
const mcpServer = schema({
	name: text,
	/** `stdio`: a program the agent starts; `http`: streamable HTTP. */
	type: { type: "enum", values: ["stdio", "http"] },
	command: text,
	args: texts,
	env: textRecord,
	url: text,
	headers: textRecord,
});
export type McpServer = Output<typeof mcpServer>;

/** Settings of one launch, merged by precedence: request, preset, profile, template, defaults. */
export const launchSettingsFields = schema({
	name: text,
	model: text,
	/** The first is the workspace itself. */
	repositories: { type: "array", items: { type: "object", props: repository } },
	/** Shell commands, run in order in the workspace after the clone. */
	setup_scripts: texts,
	/** Folder below the workspace the agent works in; empty: the workspace itself. */
	working_folder: text,
	system_prompt: text,
	/** First user message; sent once in the life of a session. */
	initial_prompt: text,
	env: textRecord,
	/** Id of a record in `config/agents`. */
	agent: name,
	mcp_servers: { type: "array", items: { type: "object", props: mcpServer } },
	permission_mode: { type: "enum", values: permissionModes },
	/** Protocols git may use: https, ssh, http, file. */
	git_protocols: texts,
	/** Whether a limit of cost applied when the pod was started; absent: no. */
	budgeted: { type: "boolean", optional: true },
});
export type LaunchSettings = Output<typeof launchSettingsFields>;

export const launchDocumentFields = schema({
	...launchSettingsFields,
	session_id: name,
	generation: { type: "number", integer: true, min: 0, max: Number.MAX_SAFE_INTEGER },
	/** Names the installation; part of the marker by which its processes are found. */
	installation: name,
	/** Shows that this installation gave the launch its marker; handed on unchanged to every process of the pod. */
	proof: name,
	/** Prefix of the platform's API, e.g. `http://127.0.0.1:8080/api/v1/svc`. */
	platform_url: { type: "url" },
	/** What the pod shows to the platform. */
	pod_token: secret,
	/** What the platform shows to the pod. */
	platform_key: secret,
	/** Where the pod writes its {@link PodStatus}. */
	status_file: absolutePath,
	/** Folder of the working copy; it outlives the pod. */
	workspace: absolutePath,
	/** Folder of the session's own records (conversation, queue); it outlives the pod and is not in the workspace. */
	state: absolutePath,
	/** Home folder of the agent's processes; it ends with the pod. */
	home: absolutePath,
	/** Home folder whose git and ssh configuration the platform's own clone and fetch may use; empty: none. */
	git_home: { type: "string", pattern: "^(/[^\\0]*)?$" },
	/** Folder of the coding agents that were installed on request; absent: there are none. */
	agents: { ...absolutePath, optional: true },
	/** Absent: the session has no model, or one that cannot be used. */
	model_access: { type: "object", props: modelAccessFields, optional: true },
	/** Why it cannot. */
	model_refusal: { type: "object", props: modelRefusalFields, optional: true },
	/** How long the pod goes on while the platform is away. Default 15 min. */
	lifeline_ms: { ...milliseconds, optional: true },
	/** How long the coding agent may take over an interrupt before it is ended. Default 10 s. */
	interrupt_ms: { ...milliseconds, optional: true },
});
export type LaunchDocument = Output<typeof launchDocumentFields>;

/** Environment variables that mark every process of a pod. */
export const marker = {
	installation: "ATELIER_INSTALLATION",
	session: "ATELIER_SESSION",
	generation: "ATELIER_GENERATION",
	proof: "ATELIER_PROOF",
} as const;
