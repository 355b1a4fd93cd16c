/** Offers the models that sessions may use on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { type Model, models as contract } from "#shared/contracts/models.ts";
import type { CatalogueModel, ModelCatalogue, ModelProvider } from "#shared/wire/models/model-catalogue.ts";
import type { LocalServers } from "./local-servers.ts";
import { memoryPageInOrder } from "#shared/store/pages/memory-page.ts";
import { type ModelRefusal, modelWires } from "#shared/wire/models/model-wire.ts";

/**
 * @param refusalOf Returns the reason why a model cannot be used; undefined when it can be.
 * @param servers Says which local servers do not run; default: nobody knows it.
 */
export function modelsService(
	catalogue: ModelCatalogue,
	refusalOf: (model: string) => ModelRefusal | undefined,
	servers?: Pick<LocalServers, "away">,
): ServiceSchema {
	return serviceOf(contract, {
		async list(page, _principal, { meta: { if_none_match: known } }) {
			const away = await servers?.away();
			const reasonOf = ({ id, provider }: CatalogueModel) => refusalOf(id)?.reason ?? away?.get(provider);
			return memoryPageInOrder(modelList(catalogue, reasonOf), { ...page, known });
		},
	});
}

/** Returns the models in the order of the catalogue, those in the cloud first. */
function modelList(
	{ models, providers }: ModelCatalogue,
	reasonOf: (model: CatalogueModel) => string | undefined,
): Model[] {
	const byId = new Map(providers.map((provider) => [provider.id, provider]));
	const list = models.map((model) => ({
		...described(model, byId.get(model.provider)),
		...usability(reasonOf(model)),
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

function usability(reason: string | undefined) {
	return { available: reason === undefined, unavailable_reason: reason ?? null };
}
