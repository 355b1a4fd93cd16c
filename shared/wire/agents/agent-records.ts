/** Reads the records of coding agents: one YAML file each in `config/agents`, named after the agent. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { modelWires } from "../models/model-wire.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { StartError } from "#shared/base/start-error.ts";
import { unknownField } from "#shared/base/schema/unknown-field.ts";
import { yamlValue } from "#shared/base/yaml/yaml-text.ts";
import { agentFields, type WrittenAgent } from "./agent-fields.ts";

export const agentRecordFolder = join(projectRoot, "config", "agents");

/** A record that cannot be used; the message is a sentence that names the file and the field. */
export class AgentRecordError extends StartError {
	override readonly name = "AgentRecordError";
}

const extension = /\.yaml$/;
const check = compileSchema(agentFields);

/** Returns the ids of all agents, sorted. */
export function agentIds(folder = agentRecordFolder): string[] {
	const files = readdirSync(folder).filter((name) => extension.test(name));
	return files.map((name) => name.replace(extension, "")).sort();
}

/** Returns all records by id. @throws {AgentRecordError} */
export function readAgentRecords(folder = agentRecordFolder): Map<string, WrittenAgent> {
	return new Map(agentIds(folder).map((id) => [id, readAgentRecord(id, folder)]));
}

/** Returns one record. @param id One of {@link agentIds}. @throws {AgentRecordError} */
export function readAgentRecord(id: string, folder = agentRecordFolder): WrittenAgent {
	const file = join(folder, `${id}.yaml`);
	const content = contentOf(file);
	const unknown = unknownField(content, agentFields);
	const [failure] = check(content);
	const problem =
		(failure && `${failure.path.join(".")}: ${failure.message}`) ??
		(unknown && `${unknown}: there is no such field`) ??
		inconsistency(content as WrittenAgent, id);
	if (problem) throw new AgentRecordError(`Record of a coding agent "${file}": ${problem}`);
	return content as WrittenAgent;
}

function contentOf(file: string): unknown {
	try {
		return yamlValue(readFileSync(file, "utf8"));
	} catch (error) {
		throw new AgentRecordError(`Cannot read the record of a coding agent "${file}": ${(error as Error).message}`);
	}
}

function inconsistency(record: WrittenAgent, id: string): string | undefined {
	if (record.id !== id) return `id: it has to be "${id}", as the file is called`;
	const known: readonly string[] = modelWires;
	const strange = Object.keys(record.wires).find((wire) => !known.includes(wire));
	if (strange !== undefined) return `wires.${strange}: there is no such wire format; known: ${known.join(", ")}`;
	if (record.needs_model && Object.keys(record.wires).length === 0) return "wires: an agent that needs a model has one";
	const variable = Object.entries(record.env).find(([, value]) => typeof value !== "string" && !isMap(value));
	return variable && `env.${variable[0]}: it has to be text or a map`;
}

function isMap(value: unknown): value is object {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
