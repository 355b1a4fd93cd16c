/** A coding agent as its record says it is started, with every place filled in for this pod. */
import { join } from "node:path";
import type { WrittenAgent } from "#shared/agents/agent-fields.ts";
import { type ModelRefusal, type ModelWire, modelWires } from "#shared/models/model-wire.ts";
import { projectRoot } from "#shared/project-root.ts";
import { agentObstacles, modelObstacles, type NamedModel } from "./agent-obstacles.ts";
import { configText } from "./config-text.ts";
import type { Environment } from "../io/environment.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import { fillAll, fillText, type PlaceholderValues } from "./placeholders.ts";

export interface AgentRecord
	extends Pick<
		WrittenAgent,
		"id" | "title" | "command" | "folders" | "keeps" | "mcp" | "loads" | "end_signal" | "chatter" | "late_update_ms"
	> {
	/** Beside the allowed variables. */
	env: Environment;
	/** Paths below the home. */
	files: { path: string; text: string }[];
	/** Its own modes by the session's permission mode; empty: as it starts. */
	modes: { ask: string; auto: string };
	/** It has a model, the session's or one of its own. */
	has_model: boolean;
}

/** Where the agent asks the session's model: the model proxy. */
export interface ModelEndpoint {
	/** What is shown as the key. */
	readonly token: string;
	/** URL prefix; undefined for a format the provider does not speak. */
	url(wire: ModelWire): string | undefined;
}

/** The session's model, as the agent reaches it. */
export interface ReachableModel {
	/** As the provider knows it. */
	model: string;
	/** Tokens it reads at most. */
	context_window: number;
	proxy: ModelEndpoint;
}

/** What fills the placeholders of a record. */
export interface PlaceholderSources {
	/** Empty: the agent's own choice. */
	model: string;
	/** Folder where Node keeps compiled code of programs of ours; empty: nowhere. */
	compile_cache: string;
	home?: string;
	/** The agent's own folder in the session's state; it outlives the pod. */
	state?: string;
	/** Folder of the agents that are installed on request. */
	agents?: string;
	/** Absent: the session has no model, or one that cannot be used. */
	reachable?: ReachableModel | undefined;
	/** Why the session's model cannot be used. */
	refusal?: ModelRefusal | undefined;
}

/** @throws {LaunchFailure} when there is no such record, or it cannot be used here. */
export async function readAgentRecord(id: string, sources: PlaceholderSources): Promise<AgentRecord> {
	// Loaded here, while the clone runs.
	const { agentIds, readAgentRecord: read } = await import("#shared/agents/agent-records.ts");
	const known = agentIds();
	if (!known.includes(id)) refuse(`There is no coding agent "${id}"; known: ${known.join(", ")}`);
	try {
		return fillRecord(read(id), sources);
	} catch (error) {
		if (error instanceof LaunchFailure) throw error;
		throw new LaunchFailure("AGENT_START_FAILED", (error as Error).message, { cause: error });
	}
}

/** @throws {LaunchFailure} */
export function fillRecord(record: WrittenAgent, sources: PlaceholderSources): AgentRecord {
	const { id, title, command, folders, keeps, mcp, loads, end_signal, chatter, late_update_ms } = record;
	const obstacles = agentObstacles(record, namedModel(sources), sources.agents);
	if (obstacles.length > 0) refuse(obstacles.join(". "));
	const filled = placeholderValues(record, sources);
	return {
		id,
		title,
		folders,
		keeps,
		mcp,
		loads,
		end_signal,
		chatter,
		late_update_ms,
		command: command.map((word) => fillText(word, filled)),
		env: environmentOf(record.env, filled),
		files: record.files.map(({ path, format, content }) => ({
			path,
			text: configText(format, fillAll(content, filled)),
		})),
		modes: record.modes ?? { ask: "", auto: "" },
		has_model: sources.reachable !== undefined || record.own_model,
	};
}

function placeholderValues(record: WrittenAgent, sources: PlaceholderSources): PlaceholderValues {
	const { reachable, home = "", state = "", agents = "" } = sources;
	const named = namedModel(sources);
	return {
		node: process.execPath,
		project: projectRoot,
		arch: process.arch,
		compile_cache: sources.compile_cache,
		home,
		state,
		agents: join(agents, record.id),
		model: reachable?.model ?? sources.model,
		model_refusal: named ? modelObstacles(record, named).join(". ") : "",
		...modelPlaceholders(record, reachable),
	};
}

function namedModel({ reachable, refusal }: PlaceholderSources): NamedModel | undefined {
	return reachable ? { model: reachable.model, wires: offeredWires(reachable.proxy) } : refusal;
}

function offeredWires(proxy: ModelEndpoint): ModelWire[] {
	return modelWires.filter((wire) => proxy.url(wire) !== undefined);
}

/** Empty where there is no model, or none that the agent can use. */
function modelPlaceholders({ wires }: WrittenAgent, reachable: ReachableModel | undefined): PlaceholderValues {
	const offered = reachable ? offeredWires(reachable.proxy) : [];
	const [wire, own = {}] = Object.entries(wires).find(([name]) => offered.some((known) => known === name)) ?? [];
	if (!reachable || wire === undefined) return { model_url: "", model_token: "", model_wire: "", model_context: "" };
	const { proxy, context_window } = reachable;
	const urls = offered.map((name) => [`model_url:${name}`, proxy.url(name) ?? ""] as const);
	return {
		...Object.fromEntries(urls),
		...Object.fromEntries(Object.entries(own).map(([name, value]) => [`wire:${name}`, value])),
		model_url: urls.find(([name]) => name === `model_url:${wire}`)?.[1] ?? "",
		model_wire: wire,
		model_token: proxy.token,
		model_context: context_window,
	};
}

/** A variable that stays empty is left out. */
function environmentOf(written: WrittenAgent["env"], values: PlaceholderValues): Environment {
	const entries = Object.entries(written).map(([name, value]) => [
		name,
		typeof value === "string" ? fillText(value, values) : JSON.stringify(fillAll(value, values)),
	]);
	return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

/** @throws {LaunchFailure} */
function refuse(sentence: string): never {
	throw new LaunchFailure("AGENT_START_FAILED", sentence);
}
