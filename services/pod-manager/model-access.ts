/** Where a session's model is reached: its provider's endpoints, and the key from the platform's own environment. Pure. */
import { type ModelCatalogue, tokenPrices } from "#shared/models/model-catalogue.ts";
import type { ModelAccess } from "#shared/models/model-wire.ts";

/**
 * @param keyOf The value of a variable of the platform's environment; empty when it is not set.
 * @returns Undefined when the session has no model: none was named and there is no default, the catalogue does not have it, or
 * its provider's key is not set.
 */
export function modelAccess(
	{ models, providers, default_model }: ModelCatalogue,
	model: string,
	keyOf: (variable: string) => string,
): ModelAccess | undefined {
	const found = models.find(({ id }) => id === (model || default_model));
	const provider = providers.find(({ id }) => id === found?.provider);
	if (!found || !provider) return undefined;
	const key = provider.key_env === "" ? "" : keyOf(provider.key_env);
	if (provider.key_env !== "" && key === "") return undefined;
	const prices = provider.location === "cloud" ? tokenPrices(found) : undefined;
	return {
		provider: provider.id,
		location: provider.location,
		model: found.id,
		endpoints: provider.endpoints,
		key,
		context_window: found.context_window,
		...(prices && { prices }),
	};
}
