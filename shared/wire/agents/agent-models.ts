/** Selects the models of the catalogue that a coding agent can use. Pure. */
import type { ModelCatalogue } from "../models/model-catalogue.ts";
import { type KeyOf, missingKey } from "../models/provider-key.ts";
import type { WrittenAgent } from "./agent-fields.ts";

/** A model that a coding agent can use, possibly only when a key is set. */
export interface FittingModel {
	readonly id: string;
	/** The environment variable of its provider's key, if that is not set. */
	readonly missing_key: string | undefined;
}

/** The most variables that a sentence names. */
const maxKeys = 10;

/** Returns the models whose provider speaks a format of the agent; those with a key come first. */
export function fittingModels({ wires }: WrittenAgent, catalogue: ModelCatalogue, keyOf: KeyOf): FittingModel[] {
	const fitting = catalogue.models.flatMap(({ id, provider: name }) => {
		const provider = catalogue.providers.find((each) => each.id === name);
		if (!provider || !Object.keys(wires).some((wire) => Object.hasOwn(provider.endpoints, wire))) return [];
		return [{ id, missing_key: missingKey(provider, keyOf) }];
	});
	const usable = (model: FittingModel): boolean => model.missing_key === undefined;
	return [...fitting.filter(usable), ...fitting.filter((model) => !usable(model))];
}

/**
 * Returns a sentence for an agent that needs a model and has no usable one; undefined otherwise. @param fitting The
 * result of {@link fittingModels}.
 */
export function missingModel(record: WrittenAgent, fitting: readonly FittingModel[]): string | undefined {
	const { id, needs_model, wires } = record;
	if (!needs_model || fitting.some(({ missing_key }) => missing_key === undefined)) return undefined;
	const why = `The coding agent "${id}" can use no model now`;
	const keys = [...new Set(fitting.flatMap(({ missing_key }) => missing_key ?? []))].slice(0, maxKeys);
	if (keys.length === 0) return `${why}: the catalogue has none that speaks ${Object.keys(wires).join(" or ")}`;
	return `${why}: set ${keys.join(" or ")} where the platform is started`;
}
