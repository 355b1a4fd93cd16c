/** Starts a coding agent: fills in its record, prepares its home folder, starts its process and connects to it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { readResources } from "#shared/wire/pod/resource-limits.ts";
import { prepareAgentHome } from "./agent-home.ts";
import { AgentProcess } from "./agent-process.ts";
import {
	type AgentRecord,
	type ModelEndpoint,
	type PlaceholderSources,
	type ReachableModel,
	readAgentRecord,
} from "./agent-record.ts";
import type { AgentNotice, CodingAgent } from "./coding-agent.ts";
import { AcpAgent, type AcpOptions } from "./acp/acp.ts";
import { mcpServersOf } from "./acp/acp-mcp.ts";
import { throughEntrypoint } from "../io/entrypoint.ts";
import { SavedSession } from "./saved-session.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { PodContext } from "../io/pod-context.ts";
import { limitedCommand } from "./limited-command.ts";
import { withoutAddress } from "./own-address.ts";
import { pastTurns } from "./past-turns.ts";
import type { Permissions } from "./permissions.ts";
import type { PreloadedAgent } from "./preloaded-agent.ts";

/** The dependencies of a start, given by the pod. */
export interface AgentStarterDependencies extends Omit<PodContext, "ending"> {
	/** The proxy between the coding agent and the session's model; undefined when the session has no model. */
	readonly proxy: ModelEndpoint | undefined;
	readonly turns: () => readonly ConversationTurn[];
	readonly permissions: Permissions;
	/** The agent that was started before the session; the first start takes it. */
	readonly preloaded?: PreloadedAgent | undefined;
	/** Receives what the coding agent reports beside its answers. */
	readonly onNotice: (notice: AgentNotice) => void;
}

/**
 * Starts the agent.
 * @param model The model that a person chose since the launch; empty stands for the launch's.
 * @param onProcess Receives the process before the connection is made.
 * @throws {LaunchFailure}
 */
export async function startCodingAgent(
	dependencies: AgentStarterDependencies,
	model: string,
	onProcess: (process: AgentProcess) => void,
): Promise<CodingAgent> {
	const { launch, env, log, signal, preloaded } = dependencies;
	const reachable = reachableModel(dependencies);
	const chosen = { model, reachable, state: join(launch.state, "agents", launch.agent) };
	await mkdir(chosen.state, { recursive: true, mode: 0o700 });
	const record = await readAgentRecord(launch.agent, placeholderSources(dependencies, chosen));
	await prepareAgentHome(record, launch.home, chosen.state);
	signal.throwIfAborted();
	const { limits } = readResources(launch.resource_config ?? {});
	const limited = await limitedCommand(record.command, limits, { id: launch.session_id, path: env["PATH"] ?? "" });
	for (const warning of limited.warnings) log.add("WARNING", "session-agent", warning);
	const command = throughEntrypoint(limited.command, env);
	const process = new AgentProcess({ ...record, command, preloaded }, env, launch.home, log);
	onProcess(process);
	return AcpAgent.connect(process, acpOptions(dependencies, record, chosen)).catch(cannotStart);
}

/** The choices that are made before the record is read; an empty model stands for the launch's. */
type Chosen = Pick<PlaceholderSources, "model" | "reachable"> & { readonly state: string };

function reachableModel({ launch, proxy }: AgentStarterDependencies): ReachableModel | undefined {
	const access = launch.model_access;
	return proxy && access && { model: access.model, context_window: access.context_window, proxy };
}

function placeholderSources(
	{ launch, inherited }: AgentStarterDependencies,
	{ model, reachable, state }: Chosen,
): PlaceholderSources {
	return {
		model: model || launch.model,
		compile_cache: inherited["NODE_COMPILE_CACHE"] ?? "",
		home: launch.home,
		state,
		...(launch.agents !== undefined && { agents: launch.agents }),
		is_image: launch.door !== undefined,
		reachable,
		refusal: launch.model_refusal,
	};
}

function acpOptions(
	{ launch, env, permissions, log, onNotice, turns }: AgentStarterDependencies,
	record: AgentRecord,
	{ model, reachable, state }: Chosen,
): AcpOptions {
	return {
		record,
		permissions,
		onNotice,
		log,
		// If the platform provides the model, the record itself names it.
		model: model || (reachable ? "" : launch.model),
		systemPrompt: launch.system_prompt,
		mcpServers: mcpServersOf(launch),
		path: env["PATH"] ?? "",
		shown: withoutAddress(
			reachable && modelWires.map((wire) => reachable.proxy.url(wire)).find((url) => url !== undefined),
		),
		saved: new SavedSession(join(state, "conversation.json"), record.id),
		past: () => pastTurns(turns()),
		interruptMs: launch.interrupt_ms,
	};
}

export function cannotStart(error: unknown): never {
	const said = error instanceof Error ? error.message : String(error);
	throw new LaunchFailure("AGENT_START_FAILED", `The coding agent cannot be started: ${said}`, { cause: error });
}
