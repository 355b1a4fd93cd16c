/**
 * Where a session's model is reached: its provider's endpoints, and the key from the environment of the process that asks.
 * Pure. The process that starts the pod asks for itself: a provider's key does not travel over the bus.
 */
import { type ModelCatalogue, tokenPrices } from "./model-catalogue.ts";
import type { ModelAccess } from "./model-wire.ts";
import { type KeyOf, missingKey } from "./provider-key.ts";

/**
 * @returns Undefined when the session has no model: none was named and there is no default, the catalogue does not have it, or
 * its provider's key is not set.
 */
export function modelAccess(
	{ models, providers, default_model }: ModelCatalogue,
	model: string,
	keyOf: KeyOf,
): ModelAccess | undefined {
	const found = models.find(({ id }) => id === (model || default_model));
	const provider = providers.find(({ id }) => id === found?.provider);
	if (!found || !provider) return undefined;
	if (missingKey(provider, keyOf) !== undefined) return undefined;
	const prices = provider.location === "cloud" ? tokenPrices(found) : undefined;
	return {
		provider: provider.id,
		location: provider.location,
		model: found.id,
		endpoints: provider.endpoints,
		key: provider.key_env === "" ? "" : keyOf(provider.key_env),
		context_window: found.context_window,
		...(prices && { prices }),
	};
}
