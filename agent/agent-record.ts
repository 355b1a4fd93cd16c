/** A coding agent as its record says it is started, with every place filled in for this pod. */
import { join } from "node:path";
import type { InstallRecipe, WrittenAgent } from "#shared/agents/agent-fields.ts";
import { readInstalled } from "#shared/agents/installed-agent.ts";
import { type ModelWire, modelWires } from "#shared/models/model-wire.ts";
import { projectRoot } from "#shared/project-root.ts";
import { configText } from "./config-text.ts";
import type { Environment } from "./environment.ts";
import { LaunchFailure } from "./launch-failure.ts";
import { fillAll, fillText, type Places } from "./record-places.ts";

export interface AgentRecord
	extends Pick<WrittenAgent, "id" | "title" | "command" | "keeps" | "mcp" | "loads" | "end_signal" | "late_update_ms"> {
	/** Beside the allowed variables. */
	env: Environment;
	/** Paths below the home. */
	files: { path: string; text: string }[];
	/** Its own modes by the session's permission mode; empty: as it starts. */
	modes: { ask: string; auto: string };
}

/** Where the agent asks the session's model: the model proxy. */
export interface ModelDoor {
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
	proxy: ModelDoor;
}

/** What a record may leave open. */
export interface RecordPlaces {
	/** Empty: the agent's own choice. */
	model: string;
	/** Folder where Node keeps compiled code of programs of ours; empty: nowhere. */
	compile_cache: string;
	home?: string;
	/** The agent's own folder in the session's state; it outlives the pod. */
	state?: string;
	/** Folder of the agents that are installed on request. */
	agents?: string;
	/** Absent: the session has no model. */
	reachable?: ReachableModel | undefined;
}

/** @throws {LaunchFailure} when there is no such record, or it cannot be used here. */
export async function readAgentRecord(id: string, places: RecordPlaces): Promise<AgentRecord> {
	// Loaded here, while the clone runs.
	const { agentIds, readAgentRecord: read } = await import("#shared/agents/agent-records.ts");
	const known = agentIds();
	if (!known.includes(id)) refuse(`There is no coding agent "${id}"; known: ${known.join(", ")}`);
	try {
		return fillRecord(read(id), places);
	} catch (error) {
		if (error instanceof LaunchFailure) throw error;
		throw new LaunchFailure("AGENT_START_FAILED", (error as Error).message, { cause: error });
	}
}

/** @throws {LaunchFailure} */
export function fillRecord(record: WrittenAgent, places: RecordPlaces): AgentRecord {
	const { id, title, command, keeps, mcp, loads, end_signal, late_update_ms } = record;
	if (record.install) refuseUninstalled(id, record.install, join(places.agents ?? "", id));
	const filled = placesOf(record, places);
	return {
		id,
		title,
		keeps,
		mcp,
		loads,
		end_signal,
		late_update_ms,
		command: command.map((word) => fillText(word, filled)),
		env: environmentOf(record.env, filled),
		files: record.files.map(({ path, format, content }) => ({
			path,
			text: configText(format, fillAll(content, filled)),
		})),
		modes: record.modes ?? { ask: "", auto: "" },
	};
}

/** Half an installation has no such file, and one of another version may want to be started otherwise. */
function refuseUninstalled(id: string, recipe: InstallRecipe, folder: string): void {
	const installed = readInstalled(folder);
	if (installed?.version === recipe.version) return;
	const state = installed ? `is installed in version ${installed.version}, not ${recipe.version}` : "is not installed";
	refuse(`The coding agent "${id}" ${state}; install it with: npm run agents -- install ${id}`);
}

function placesOf(record: WrittenAgent, places: RecordPlaces): Places {
	const { reachable, home = "", state = "", agents = "" } = places;
	return {
		node: process.execPath,
		project: projectRoot,
		arch: process.arch,
		compile_cache: places.compile_cache,
		home,
		state,
		agents: join(agents, record.id),
		model: reachable?.model ?? places.model,
		...(record.needs_model || reachable ? modelPlaces(record, reachable) : noModel),
	};
}

const noModel: Places = { model_url: "", model_token: "", model_wire: "", model_context: "" };

/** @throws {LaunchFailure} when the two have no format in common. */
function modelPlaces({ id, wires, needs_model }: WrittenAgent, reachable: ReachableModel | undefined): Places {
	if (!reachable) {
		return refuse(
			`The coding agent "${id}" needs a model, and the session has none: name one whose provider's key is set`,
		);
	}
	const { proxy, model, context_window } = reachable;
	const offered = modelWires.filter((wire) => proxy.url(wire) !== undefined);
	const [wire, own] = Object.entries(wires).find(([name]) => offered.some((known) => known === name)) ?? [];
	if (wire === undefined && !needs_model) return noModel;
	if (wire === undefined) {
		const spoken = Object.keys(wires).join(" or ");
		return refuse(`The coding agent "${id}" speaks ${spoken}; model "${model}" speaks ${offered.join(", ")}`);
	}
	const urls = offered.map((name) => [`model_url:${name}`, proxy.url(name) ?? ""] as const);
	return {
		...Object.fromEntries(urls),
		...Object.fromEntries(Object.entries(own ?? {}).map(([name, value]) => [`wire:${name}`, value])),
		model_url: urls.find(([name]) => name === `model_url:${wire}`)?.[1] ?? "",
		model_wire: wire,
		model_token: proxy.token,
		model_context: context_window,
	};
}

/** A variable that stays empty is left out. */
function environmentOf(written: WrittenAgent["env"], places: Places): Environment {
	const entries = Object.entries(written).map(([name, value]) => [
		name,
		typeof value === "string" ? fillText(value, places) : JSON.stringify(fillAll(value, places)),
	]);
	return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

/** @throws {LaunchFailure} */
function refuse(sentence: string): never {
	throw new LaunchFailure("AGENT_START_FAILED", sentence);
}
