/** Which models of the catalogue a coding agent can be used with. Pure. */
import type { ModelCatalogue } from "../models/model-catalogue.ts";
import { type KeyOf, missingKey } from "../models/provider-key.ts";
import type { WrittenAgent } from "./agent-fields.ts";

export interface FittingModel {
	readonly id: string;
	/** The variable of its provider's key, where that is not set. */
	readonly missing_key: string | undefined;
}

/** More names help nobody. */
const maxKeys = 10;

/** Those whose provider speaks a format of the agent, the ones that can be used now first. */
export function fittingModels({ wires }: WrittenAgent, catalogue: ModelCatalogue, keyOf: KeyOf): FittingModel[] {
	const fitting = catalogue.models.flatMap(({ id, provider: name }) => {
		const provider = catalogue.providers.find((each) => each.id === name);
		if (!provider || !Object.keys(wires).some((wire) => Object.hasOwn(provider.endpoints, wire))) return [];
		return [{ id, missing_key: missingKey(provider, keyOf) }];
	});
	const usable = (model: FittingModel): boolean => model.missing_key === undefined;
	return [...fitting.filter(usable), ...fitting.filter((model) => !usable(model))];
}

/** A sentence for an agent that needs a model and can use none now. @param fitting Its {@link fittingModels}. */
export function missingModel(record: WrittenAgent, fitting: readonly FittingModel[]): string | undefined {
	const { id, needs_model, wires } = record;
	if (!needs_model || fitting.some(({ missing_key }) => missing_key === undefined)) return undefined;
	const why = `The coding agent "${id}" can use no model now`;
	const keys = [...new Set(fitting.flatMap(({ missing_key }) => missing_key ?? []))].slice(0, maxKeys);
	if (keys.length === 0) return `${why}: the catalogue has none that speaks ${Object.keys(wires).join(" or ")}`;
	return `${why}: set ${keys.join(" or ")} where the platform is started`;
}
