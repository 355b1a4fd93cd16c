/** Explains to the owner of a session why its model cannot be used. Pure. */
import { type ModelCatalogue, modelNamed } from "./model-catalogue.ts";
import { type ModelRefusal, modelWires } from "./model-wire.ts";
import { keyNotSet, type KeyOf, missingKey } from "./provider-key.ts";
import { unknownModel } from "./unknown-model.ts";

/** Returns the reason; undefined when the model can be used, and when none was named and there is no default. */
export function modelRefusal(catalogue: ModelCatalogue, named: string, keyOf: KeyOf): ModelRefusal | undefined {
	const { providers, default_model } = catalogue;
	const model = named || default_model;
	if (model === "") return undefined;
	const found = modelNamed(catalogue, model);
	const provider = providers.find(({ id }) => id === found?.provider);
	if (!provider) return { model, reason: unknownModel(catalogue, model), wires: [] };
	const missing = missingKey(provider, keyOf);
	if (missing === undefined) return undefined;
	const wires = modelWires.filter((wire) => provider.endpoints[wire] !== undefined);
	return { model, reason: keyNotSet(model, missing), wires };
}
