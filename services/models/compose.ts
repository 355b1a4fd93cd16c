/**
 * The models part. It reads the providers' keys from its own environment. That environment must have the same keys as
 * the pod manager's, because this part reports which models pods will be able to use.
 */
import { environmentSecret } from "#shared/config/config.ts";
import { environment } from "#shared/config/environment.ts";
import { similarToUnset } from "#shared/config/mistakes/similar-variables.ts";
import { LocalServers } from "./local-servers.ts";
import { type ModelCatalogue, modelNamed, readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { refuseMalformedKeys } from "#shared/wire/models/provider-key.ts";
import { modelRefusal } from "#shared/wire/models/model-refusal.ts";
import type { Part, Platform } from "#host/platform.ts";
import { modelsService } from "./models.service.ts";

export async function compose({ config, announce }: Platform): Promise<Part> {
	const catalogue = readModelCatalogue(config.models.file);
	refuseMalformedKeys(catalogue.providers, environmentSecret);
	const names = catalogue.providers.map(({ key_env }) => key_env);
	const misspelt = similarToUnset(names, environment());
	if (misspelt !== undefined) announce(misspelt);
	const servers = new LocalServers(catalogue.providers);
	const away = await awayDefault(catalogue, servers);
	if (away !== undefined) announce(away);
	const refusalOf = (model: string) => modelRefusal(catalogue, model, environmentSecret);
	return { services: [modelsService(catalogue, refusalOf, servers)] };
}

/** Returns the sentence for a default model whose local server does not run; undefined otherwise, and without a default. */
async function awayDefault(catalogue: ModelCatalogue, servers: LocalServers): Promise<string | undefined> {
	const model = modelNamed(catalogue, catalogue.default_model);
	if (model === undefined) return undefined;
	const reason = (await servers.away()).get(model.provider);
	return reason && `Sessions that name no model get "${model.id}", which cannot be used now: ${reason}`;
}
