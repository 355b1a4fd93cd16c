/** Reads the record of a coding agent and fills in its placeholders for this pod. */
import { join } from "node:path";
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { type ModelRefusal, type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { agentObstacles, modelObstacles, type NamedModel } from "./agent-obstacles.ts";
import { configText } from "./config-text.ts";
import type { Environment } from "../io/environment.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import { fillAll, fillText, type PlaceholderValues } from "./placeholders.ts";

/** A record without placeholders. */
export interface AgentRecord extends Omit<WrittenAgent, "env" | "files" | "modes"> {
	/** These variables are added to the allowed ones. */
	env: Environment;
	/** The paths are relative to the home folder. */
	files: { path: string; text: string }[];
	/** The agent's own mode for each permission mode; empty leaves the mode in which the agent starts. */
	modes: { ask: string; auto: string };
	/** The agent has a model: the session's or one of its own. */
	has_model: boolean;
}

/** The model proxy, as the address of the session's model. */
export interface ModelEndpoint {
	/** The token that the agent shows as its key. */
	readonly token: string;
	/** Returns the URL prefix, or undefined for a format that the provider does not speak. */
	url(wire: ModelWire): string | undefined;
}

/** The session's model, as the agent reaches it. */
export interface ReachableModel {
	/** The name by which the provider knows the model. */
	model: string;
	/** The largest number of tokens that the model reads. */
	context_window: number;
	proxy: ModelEndpoint;
}

/** The values that fill the placeholders of a record. */
export interface PlaceholderSources {
	/** The model; empty leaves the choice to the agent. */
	model: string;
	/** The folder in which Node caches the compiled code of the platform's programs; empty when there is none. */
	compile_cache: string;
	home?: string;
	/** The agent's own folder in the session's state, which outlives the pod. */
	state?: string;
	/** The folder of the agents that are installed on request. */
	agents?: string;
	/** Whether that is a folder of the image in which the session runs. */
	is_image?: boolean;
	/** It is absent when the session has no model, or one that cannot be used. */
	reachable?: ReachableModel | undefined;
	/** Why the session's model cannot be used. */
	refusal?: ModelRefusal | undefined;
}

/** @throws {LaunchFailure} when there is no such record, or when the agent cannot be used here. */
export async function readAgentRecord(id: string, sources: PlaceholderSources): Promise<AgentRecord> {
	// The records are loaded here, while the clone runs.
	const { agentIds, readAgentRecord: read } = await import("#shared/wire/agents/agent-records.ts");
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
	const obstacles = agentObstacles(record, namedModel(sources), sources.agents, sources.is_image);
	if (obstacles.length > 0) refuse(obstacles.join(". "));
	const filled = placeholderValues(record, sources);
	return {
		...record,
		command: record.command.map((word) => fillText(word, filled)),
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

/** Returns empty values when there is no model, or none that the agent can use. */
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

/** A variable with an empty value is left out. */
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
