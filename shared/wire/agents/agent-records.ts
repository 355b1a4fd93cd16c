/** Reads the records of coding agents: one YAML file each in `config/agents`, named after the agent. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { modelWires } from "../models/model-wire.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { StartError } from "#shared/base/start-error.ts";
import { documentMistakes, type Mistake } from "#shared/base/yaml/document-mistakes.ts";
import { placedYamlDocument, type YamlDocument } from "#shared/base/yaml/yaml-text.ts";
import { agentFields, type WrittenAgent } from "./agent-fields.ts";

export const agentRecordFolder = join(projectRoot, "config", "agents");

/** A record that cannot be used; the message is a sentence that names the file and the field. */
export class AgentRecordError extends StartError {
	override readonly name = "AgentRecordError";
}

const extension = /\.yaml$/;
const check = compileSchema(agentFields);

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
	const document = documentOf(file);
	const rules = (value: unknown): Mistake[] => inconsistencies(value as WrittenAgent, id);
	const mistakes = documentMistakes(document, { fields: agentFields, check, kind: "coding agents", rules });
	if (mistakes !== undefined) throw new AgentRecordError(`Record of a coding agent "${file}": ${mistakes}`);
	return document.value as WrittenAgent;
}

function documentOf(file: string): YamlDocument {
	try {
		return placedYamlDocument(readFileSync(file, "utf8"));
	} catch (error) {
		throw new AgentRecordError(`Cannot read the record of a coding agent "${file}": ${(error as Error).message}`);
	}
}

function inconsistencies({ id, wires, needs_model, env }: WrittenAgent, name: string): Mistake[] {
	const known: readonly string[] = modelWires;
	const named = Object.keys(wires);
	return [
		...(id === name ? [] : [{ path: ["id"], message: `it has to be "${name}", as the file is called` }]),
		...named
			.filter((wire) => !known.includes(wire))
			.map((wire) => ({
				path: ["wires", wire],
				message: `there is no such wire format; known: ${known.join(", ")}`,
			})),
		...(needs_model && named.length === 0 ? [{ path: ["wires"], message: "an agent that needs a model has one" }] : []),
		...Object.entries(env)
			.filter(([, value]) => typeof value !== "string" && !isJsonObject(value))
			.map(([variable]) => ({ path: ["env", variable], message: "it has to be text or a map" })),
	];
}
