/** Finds names in a template that the platform does not know, so that no session could be started with it. */
import type { Template } from "#shared/contracts/templates.ts";
import { agentIds } from "#shared/wire/agents/agent-records.ts";
import { idsByName, readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { unknownModel } from "#shared/wire/models/unknown-model.ts";

/** Why a template is not offered. */
export interface Refusal {
	/** The reason of the condition `Accepted`. */
	readonly reason: "InvalidMember" | "TooLarge" | "TooMany" | "SecondDefault" | "UnknownAgent" | "UnknownModel";
	/** A sentence for people, without its point. */
	readonly message: string;
}

/** The refusal of a template with an unknown name, or undefined. */
export type KnownNames = (template: Template) => Refusal | undefined;

/** Reads the names once: they are those at the start of the process. @throws {ConfigError} for a catalogue that cannot be used. */
export function knownNames(modelsFile: string): KnownNames {
	const agents = agentIds();
	const catalogue = readModelCatalogue(modelsFile);
	const models = idsByName(catalogue.models);
	return ({ model, workload_config: { agent } }) => {
		if (typeof agent === "string" && agent !== "" && !agents.includes(agent))
			return {
				reason: "UnknownAgent",
				message: `There is no coding agent "${agent}"; known: ${agents.join(", ")}`,
			};
		if (model && !models.has(model)) return { reason: "UnknownModel", message: unknownModel(catalogue, model) };
		return undefined;
	};
}
