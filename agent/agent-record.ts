/** Coding agents are data: a record in `config/agents` says how one is started. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";
import type { Environment } from "./environment.ts";
import { isJsonObject } from "./json-object.ts";
import { LaunchFailure } from "./launch-failure.ts";

export interface AgentRecord {
	id: string;
	title: string;
	/** Program and arguments; places like `{node}` are filled in. */
	command: string[];
	/** Variables beside the allowed ones, filled in likewise; one that stays empty is left out. */
	env: Environment;
	/** How long after a turn's answer its last updates may still come. */
	late_update_ms: number;
}

/** What a record may leave open. */
export interface RecordPlaces {
	/** Empty: the agent's own choice. */
	model: string;
	/** Folder where Node keeps compiled code of programs of ours; empty: nowhere. */
	compile_cache: string;
}

const folder = join(projectRoot, "config", "agents");
const defaultLateUpdateMs = 300;

/** @throws {LaunchFailure} when there is no such record, or it cannot be used. */
export async function readAgentRecord(id: string, places: RecordPlaces): Promise<AgentRecord> {
	const text = await readFile(join(folder, `${id}.yaml`), "utf8").catch(() => undefined);
	if (text === undefined) {
		const known = (await readdir(folder)).map((name) => name.replace(/\.yaml$/, ""));
		throw new LaunchFailure("AGENT_START_FAILED", `There is no coding agent "${id}"; known: ${known.join(", ")}`);
	}
	// Loaded here, while the clone runs.
	const { parse } = await import("yaml");
	return fillRecord(parse(text), { ...places, node: process.execPath, project: projectRoot });
}

/** @throws {LaunchFailure} */
export function fillRecord(record: unknown, places: Readonly<Record<string, string>>): AgentRecord {
	if (!isRecord(record)) throw new LaunchFailure("AGENT_START_FAILED", "The record of the coding agent is incomplete");
	const { id, title, command, env = {}, late_update_ms = defaultLateUpdateMs } = record;
	const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (place, name: string) => places[name] ?? place);
	const filled = Object.entries(env).map(([name, value]) => [name, fill(value)]);
	return {
		id,
		title,
		command: command.map(fill),
		env: Object.fromEntries(filled.filter(([, value]) => value !== "")),
		late_update_ms,
	};
}

type Written = Pick<AgentRecord, "id" | "title" | "command"> & Partial<AgentRecord>;

function isRecord(value: unknown): value is Written {
	if (!isJsonObject(value)) return false;
	const { id, title, command, env = {}, late_update_ms = 0 } = value;
	const named = isText(id) && isText(title) && typeof late_update_ms === "number";
	return named && isTextList(command) && command.length > 0 && isJsonObject(env) && isTextList(Object.values(env));
}

function isTextList(value: unknown): value is string[] {
	return Array.isArray(value) && value.every(isText);
}

function isText(value: unknown): value is string {
	return typeof value === "string";
}
