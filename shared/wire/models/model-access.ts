/**
 * Resolves a session's model to its provider's endpoints, prices and key. Pure. The process that starts the pod
 * resolves this itself, with the key from its own environment: a provider's key does not travel over the bus.
 */
import { type ModelCatalogue, modelNamed, tokenPrices } from "./model-catalogue.ts";
import type { ModelAccess, ModelTerms } from "./model-wire.ts";
import { type KeyOf, missingKey } from "./provider-key.ts";

/**
 * Returns the access to the model; undefined when no model was named and there is no default, the catalogue does not
 * have it, or its provider's key is not set.
 */
export function modelAccess(catalogue: ModelCatalogue, model: string, keyOf: KeyOf): ModelAccess | undefined {
	const terms = modelTerms(catalogue, model || catalogue.default_model);
	const provider = catalogue.providers.find(({ id }) => id === terms?.provider);
	if (!terms || !provider) return undefined;
	if (missingKey(provider, keyOf) !== undefined) return undefined;
	return { ...terms, endpoints: provider.endpoints, key: provider.key_env === "" ? "" : keyOf(provider.key_env) };
}

/** Returns the terms of a model; undefined when the catalogue does not have it. */
export function modelTerms(catalogue: ModelCatalogue, model: string): ModelTerms | undefined {
	const { providers } = catalogue;
	const found = modelNamed(catalogue, model);
	const provider = providers.find(({ id }) => id === found?.provider);
	if (!found || !provider) return undefined;
	const prices = provider.location === "cloud" ? tokenPrices(found) : undefined;
	return {
		provider: provider.id,
		location: provider.location,
		model: found.id,
		context_window: found.context_window,
		...(prices && { prices }),
	};
}
