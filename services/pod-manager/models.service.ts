/** The models sessions may use, on the bus. Here, because here it is known which providers' keys are set. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { type Model, models as contract } from "#shared/contracts/models.ts";
import type { ModelCatalogue } from "#shared/models/model-catalogue.ts";
import type { ModelAccess } from "#shared/models/model-wire.ts";

/** @param accessOf Where a model is reached; undefined when it cannot be. */
export function modelsService(
	catalogue: ModelCatalogue,
	accessOf: (model: string) => ModelAccess | undefined,
): ServiceSchema {
	return {
		name: contract.name,
		actions: implement(contract, { list: async () => modelList(catalogue, accessOf) }),
	};
}

/** In the order of the catalogue, those in the cloud first. */
function modelList(
	{ models, providers }: ModelCatalogue,
	accessOf: (model: string) => ModelAccess | undefined,
): Model[] {
	const locations = new Map(providers.map(({ id, location }) => [id, location]));
	const list = models.map((model): Model => {
		const { id, name, description, tier, color, vram_required = null, prices: listed = null } = model;
		const provider = locations.get(model.provider) ?? "cloud";
		// What runs locally is never priced, whatever the catalogue says.
		const prices = provider === "local" ? null : listed;
		const cost_per_million_tokens = prices?.input ?? null;
		const available = accessOf(id) !== undefined;
		return { id, name, description, provider, tier, color, cost_per_million_tokens, vram_required, prices, available };
	});
	return [
		...list.filter(({ provider }) => provider === "cloud"),
		...list.filter(({ provider }) => provider === "local"),
	];
}
