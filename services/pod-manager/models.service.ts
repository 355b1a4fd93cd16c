/** The models sessions may use, on the bus. Here, because here it is known which providers' keys are set. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { type Model, models as contract } from "#shared/contracts/models.ts";
import type { ModelCatalogue } from "#shared/models/model-catalogue.ts";
import { type ModelRefusal, modelWires } from "#shared/models/model-wire.ts";

/** @param refusalOf Why a model cannot be used; undefined when it can be. */
export function modelsService(
	catalogue: ModelCatalogue,
	refusalOf: (model: string) => ModelRefusal | undefined,
): ServiceSchema {
	return {
		name: contract.name,
		actions: implement(contract, { list: async () => modelList(catalogue, refusalOf) }),
	};
}

/** In the order of the catalogue, those in the cloud first. */
function modelList(
	{ models, providers }: ModelCatalogue,
	refusalOf: (model: string) => ModelRefusal | undefined,
): Model[] {
	const byId = new Map(providers.map((provider) => [provider.id, provider]));
	const list = models.map((model): Model => {
		const { id, name, description, tier, color, vram_required = null, prices: listed = null } = model;
		const { location: provider = "cloud", endpoints = {} } = byId.get(model.provider) ?? {};
		// What runs locally is never priced, whatever the catalogue says.
		const prices = provider === "local" ? null : listed;
		const cost_per_million_tokens = prices?.input ?? null;
		const formats = modelWires.filter((wire) => Object.hasOwn(endpoints, wire));
		const unavailable_reason = refusalOf(id)?.reason ?? null;
		const use = { formats, available: unavailable_reason === null, unavailable_reason };
		return { id, name, description, provider, tier, color, cost_per_million_tokens, vram_required, prices, ...use };
	});
	return [
		...list.filter(({ provider }) => provider === "cloud"),
		...list.filter(({ provider }) => provider === "local"),
	];
}
