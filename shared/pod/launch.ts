/** What a session pod is told when it starts: one JSON document on its standard input (a mounted file elsewhere). */

import type { PermissionMode } from "../contracts/session-resource.ts";
import type { ModelAccess, ModelRefusal } from "../models/model-wire.ts";

export interface Repository {
	/** As the user wrote it; empty: the workspace starts as an empty repository. */
	url: string;
	branch: string;
	/** Base of a branch that the remote does not have; empty: the remote's own default branch. */
	base_branch: string;
	/** Folder below the workspace; empty: the workspace itself. */
	path: string;
}

/** A Model Context Protocol server the coding agent may use. */
export interface McpServer {
	name: string;
	/** `stdio`: a program the agent starts; `http`: streamable HTTP. */
	type: "stdio" | "http";
	command: string;
	args: string[];
	env: Record<string, string>;
	url: string;
	headers: Record<string, string>;
}

/** Settings of one launch, merged by precedence: request, preset, profile, template, defaults. */
export interface LaunchSettings {
	name: string;
	model: string;
	/** The first is the workspace itself. */
	repositories: Repository[];
	/** Shell commands, run in order in the workspace after the clone. */
	setup_scripts: string[];
	/** Folder below the workspace the agent works in; empty: the workspace itself. */
	working_folder: string;
	system_prompt: string;
	/** First user message; sent once in the life of a session. */
	initial_prompt: string;
	env: Record<string, string>;
	/** Id of a record in `config/agents`. */
	agent: string;
	mcp_servers: McpServer[];
	permission_mode: PermissionMode;
	/** Protocols git may use: https, ssh, http, file. */
	git_protocols: string[];
	/** Whether a limit of cost applied when the pod was started; absent: no. */
	budgeted?: boolean | undefined;
}

export interface LaunchDocument extends LaunchSettings {
	session_id: string;
	generation: number;
	/** Names the installation; part of the marker by which its processes are found. */
	installation: string;
	/** Shows that this installation gave the launch its marker; handed on unchanged to every process of the pod. */
	proof: string;
	/** Prefix of the platform's API, e.g. `http://127.0.0.1:8080/api/v1/svc`. */
	platform_url: string;
	/** What the pod shows to the platform. */
	pod_token: string;
	/** What the platform shows to the pod. */
	platform_key: string;
	/** Where the pod writes its {@link PodStatus}. */
	status_file: string;
	/** Folder of the working copy; it outlives the pod. */
	workspace: string;
	/** Folder of the session's own records (conversation, queue); it outlives the pod and is not in the workspace. */
	state: string;
	/** Home folder of the agent's processes; it ends with the pod. */
	home: string;
	/** Home folder whose git and ssh configuration the platform's own clone and fetch may use; empty: none. */
	git_home: string;
	/** Folder of the coding agents that were installed on request; absent: there are none. */
	agents?: string;
	/** Absent: the session has no model, or one that cannot be used. */
	model_access?: ModelAccess;
	/** Why it cannot. */
	model_refusal?: ModelRefusal;
	/** How long the pod goes on while the platform is away. Default 15 min. */
	lifeline_ms?: number;
	/** How long the coding agent may take over an interrupt before it is ended. Default 10 s. */
	interrupt_ms?: number;
}

/** Environment variables that mark every process of a pod. */
export const marker = {
	installation: "ATELIER_INSTALLATION",
	session: "ATELIER_SESSION",
	generation: "ATELIER_GENERATION",
	proof: "ATELIER_PROOF",
} as const;
