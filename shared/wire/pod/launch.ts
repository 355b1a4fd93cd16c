/**
 * The launch document: the settings of a session pod, as one JSON document on its standard input (a mounted file
 * elsewhere).
 */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { egressProfiles } from "#shared/base/hosts/egress-profiles.ts";
import { permissionModes } from "#shared/contracts/sessions/session-resource.ts";
import { mcpProgram, podSecretsFields } from "#shared/contracts/credentials/pod-secrets.ts";
import { modelAccessFields, modelRefusalFields } from "../models/model-wire.ts";
import { count, freeForm, text, textMap, texts } from "#shared/contracts/field-rules.ts";

/** A short name that is harmless in paths. */
const name = { type: "string", pattern: "^[\\w-]{1,40}$" } as const;
/** A secret; an empty key would admit everybody. */
const secret = { type: "string", min: 16 } as const;
const absolutePath = { type: "string", pattern: "^/[^\\0]*$" } as const;
const milliseconds = { type: "number", integer: true, min: 1, max: Number.MAX_SAFE_INTEGER } as const;

const repository = schema({
	/** The URL as the user wrote it; empty: the workspace starts as an empty repository. */
	url: text,
	branch: text,
	/** The base of a branch that the remote does not have; empty: the remote's default branch. */
	base_branch: text,
	/** Folder below the workspace; empty: the workspace itself. */
	path: text,
});
export type Repository = Output<typeof repository>;

/** A folder of the host that is a part of the workspace. */
const localMount = schema({
	/** The folder as the user wrote it; it is checked again at each launch. */
	host_path: absolutePath,
	/** Folder below the workspace; empty: the workspace itself. */
	path: text,
	/** Whether the session gets a copy. */
	read_only: { type: "boolean" },
});
export type LocalMount = Output<typeof localMount>;

/** A Model Context Protocol server the coding agent may use. */
const mcpServer = schema({
	...mcpProgram,
	/** `stdio`: a program the agent starts; `http`: streamable HTTP. */
	type: { type: "enum", values: ["stdio", "http"] },
	url: text,
	headers: textMap,
});
export type McpServer = Output<typeof mcpServer>;

/** Settings of one launch, merged by precedence: request, preset, profile, template, defaults. */
export const launchSettingsFields = schema({
	name: text,
	model: text,
	/** The repositories, the session's own one first; each has a folder of its own (repository-path.ts). */
	repositories: { type: "array", items: { type: "object", props: repository } },
	/** Folders of the host, in the place of repositories; absent: none. */
	mounts: { type: "array", items: { type: "object", props: localMount }, optional: true },
	/** Shell commands, run in order in the workspace after the clone. */
	setup_scripts: texts,
	/** Folder below the workspace the agent works in; empty: the workspace itself. */
	working_folder: text,
	system_prompt: text,
	/** The first user message; it is sent once in the life of a session. */
	initial_prompt: text,
	env: textMap,
	/** Id of a record in `config/agents`. */
	agent: name,
	mcp_servers: { type: "array", items: { type: "object", props: mcpServer } },
	permission_mode: { type: "enum", values: permissionModes },
	/** Protocols git may use: https, ssh, http, file. */
	git_protocols: texts,
	/** The requested resources as they were written (resource-limits.ts); absent: none. */
	resource_config: { ...freeForm, optional: true },
	/** Whether terminals of the session are restricted; absent: no. */
	terminal_restricted: { type: "boolean", optional: true },
	/** The image in the place of the runtime's, where sessions run in containers; absent: the runtime's. */
	image: { ...text, optional: true },
	/** The name of the operator's place for the pod, where sessions run in a cluster; absent: the usual one. */
	placement: { ...text, optional: true },
	/** The servers that the session may reach where it has no network of its own; absent: the runtime's. */
	egress: {
		type: "object",
		props: { profile: { type: "enum", values: egressProfiles }, hosts: texts },
		optional: true,
	},
	/** Names of credentials whose values the pod gets; absent: none. */
	credential_names: { ...texts, optional: true },
	/** Those of them that were the tenant's when the session was made; absent: none. */
	tenant_credentials: { ...texts, optional: true },
	/** Ids of the owner's connections that the pod gets; absent: those that the configuration says. */
	integration_ids: { ...texts, optional: true },
	/** The minutes that the launch has for clones and setup scripts (setup-time.ts); absent: 5. */
	setup_minutes: { type: "number", integer: true, min: 1, max: 1_440, optional: true },
	/** Whether an earlier launch of the session was ready, so that a workspace without files has lost them; absent: no. */
	worked_before: { type: "boolean", optional: true },
	/** Whether a limit of cost applied when the pod was started; absent: no. */
	budgeted: { type: "boolean", optional: true },
});
export type LaunchSettings = Output<typeof launchSettingsFields>;

export const launchDocumentFields = schema({
	...launchSettingsFields,
	session_id: name,
	generation: { ...count, max: Number.MAX_SAFE_INTEGER },
	/** The name of the installation; it is part of the marker by which the processes of the pod are found. */
	installation: name,
	/** The host on which it runs, as a part of the marker; absent: of a platform that knows no hosts. */
	host: { ...name, optional: true },
	/** The address, or a name of this machine, at which the pod listens; absent: loopback. */
	listen_host: { type: "string", pattern: "^[\\w.-]{1,253}$", optional: true },
	/** The proof that this installation made the marker; it is passed unchanged to every process of the pod. */
	proof: name,
	/** Prefix of the platform's API, e.g. `http://127.0.0.1:8080/api/v1/svc`. */
	platform_url: { type: "url" },
	/** The token with which the pod authenticates to the platform. */
	pod_token: secret,
	/** The key with which the platform authenticates to the pod. */
	platform_key: secret,
	/** The path of the file to which the pod writes its {@link PodStatus}; of no effect with `door`. */
	status_file: absolutePath,
	/**
	 * The folder with the platform's Unix sockets, where the pod has no network: door/door-sockets.ts has their
	 * names. Absent: the pod reaches the platform by itself.
	 */
	door: { ...absolutePath, optional: true },
	/**
	 * The URL of the platform's door, where the pod has a network: it takes the status with the pod's token. Absent: the status
	 * goes to `door` or `status_file`.
	 */
	door_url: { type: "url", optional: true },
	/** The port at which the pod listens; absent: a free one. */
	listen_port: { type: "number", integer: true, min: 1, max: 65_535, optional: true },
	/** The file that gets the failure of the pod as JSON, which outlives the pod; absent: none. */
	termination_file: { ...absolutePath, optional: true },
	/** The path of the Unix socket at which the pod listens; absent: a port of `listen_host`. */
	listen_socket: { ...absolutePath, optional: true },
	/** Folder of the working copy; it outlives the pod. */
	workspace: absolutePath,
	/** Folder of the session's own records (conversation, queue); it outlives the pod and is not in the workspace. */
	state: absolutePath,
	/** The folder of the volume with both, whose size the pod reports; absent: the platform counts it. */
	volume: { ...absolutePath, optional: true },
	/** Ids of deleted sessions that have left records beside `state`, which the pod removes; absent: none. */
	deleted_sessions: { ...texts, optional: true },
	/** Home folder of the agent's processes; it ends with the pod. */
	home: absolutePath,
	/** Home folder whose git and ssh configuration the platform's own clone and fetch may use; empty: none. */
	git_home: { type: "string", pattern: "^(/[^\\0]*)?$" },
	/** The secrets that the programs of the pod get; absent: none. */
	secrets: { type: "object", props: podSecretsFields, optional: true },
	/** Folder for these secrets, which is removed with the pod; absent: `.secrets` in the home folder. */
	secrets_folder: { ...absolutePath, optional: true },
	/** Folder for temporary files of the pod's programs, which is removed with the pod; absent: `tmp` in the home folder. */
	temporary_folder: { ...absolutePath, optional: true },
	/** The folders of the host that may be used; absent: none (local-mounts.ts). */
	mount_rules: { type: "object", props: { allowed_prefixes: texts, refused: texts }, optional: true },
	/** Folder of the coding agents that were installed on request; absent: there are none. */
	agents: { ...absolutePath, optional: true },
	/** The access to the session's model; absent when it has none, or one that cannot be used. */
	model_access: { type: "object", props: modelAccessFields, optional: true },
	/** The reason why the model cannot be used. */
	model_refusal: { type: "object", props: modelRefusalFields, optional: true },
	/** How long the pod continues while the platform is unreachable, in milliseconds. Default 15 min. */
	lifeline_ms: { ...milliseconds, optional: true },
	/** The time that the coding agent has for an interrupt before it is ended, in milliseconds. Default 10 s. */
	interrupt_ms: { ...milliseconds, optional: true },
	/** How long a choice of the agent waits for a person in the mode `auto`, in milliseconds. Default 15 min. */
	choice_ms: { ...milliseconds, optional: true },
});
/** The settings of a launch with its secrets and places. The platform writes it to the pod and stores it nowhere. */
export type LaunchDocument = Output<typeof launchDocumentFields>;

/** Environment variables that mark every process of a pod. */
export const marker = {
	installation: "ATELIER_INSTALLATION",
	session: "ATELIER_SESSION",
	generation: "ATELIER_GENERATION",
	host: "ATELIER_HOST",
	proof: "ATELIER_PROOF",
} as const;
