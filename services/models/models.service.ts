/** Offers the models that sessions may use on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { type Model, models as contract } from "#shared/contracts/models.ts";
import type { CatalogueModel, ModelCatalogue, ModelProvider } from "#shared/wire/models/model-catalogue.ts";
import { memoryPageInOrder } from "#shared/store/pages/memory-page.ts";
import { type ModelRefusal, modelWires } from "#shared/wire/models/model-wire.ts";

/** @param refusalOf Returns the reason why a model cannot be used; undefined when it can be. */
export function modelsService(
	catalogue: ModelCatalogue,
	refusalOf: (model: string) => ModelRefusal | undefined,
): ServiceSchema {
	return serviceOf(contract, {
		list: async (page, _principal, { meta: { if_none_match: known } }) =>
			memoryPageInOrder(modelList(catalogue, refusalOf), { ...page, known }),
	});
}

/** Returns the models in the order of the catalogue, those in the cloud first. */
function modelList(
	{ models, providers }: ModelCatalogue,
	refusalOf: (model: string) => ModelRefusal | undefined,
): Model[] {
	const byId = new Map(providers.map((provider) => [provider.id, provider]));
	const list = models.map((model) => ({
		...described(model, byId.get(model.provider)),
		...usability(refusalOf(model.id)),
	}));
	return [
		...list.filter(({ provider }) => provider === "cloud"),
		...list.filter(({ provider }) => provider === "local"),
	];
}

function described(model: CatalogueModel, provider: ModelProvider | undefined) {
	const { id, aliases = [], name, description, tier, color, vram_required = null } = model;
	const { location = "cloud", endpoints = {} } = provider ?? {};
	// A local model is never priced, whatever the catalogue says.
	const prices = location === "local" ? null : (model.prices ?? null);
	const formats = modelWires.filter((wire) => Object.hasOwn(endpoints, wire));
	const cost = { cost_per_million_tokens: prices?.input ?? null, prices };
	return { id, aliases, name, description, provider: location, tier, color, vram_required, ...cost, formats };
}

function usability(refusal: ModelRefusal | undefined) {
	return { available: refusal === undefined, unavailable_reason: refusal?.reason ?? null };
}
