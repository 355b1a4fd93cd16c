/**
 * The models part. It reads the providers' keys from its own environment. That environment must have the same keys as
 * the pod manager's, because this part reports which models pods will be able to use.
 */
import { environmentSecret } from "#shared/config/config.ts";
import { environment } from "#shared/config/environment.ts";
import { similarToUnset } from "#shared/config/mistakes/similar-variables.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
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
	return { services: [modelsService(catalogue, (model) => modelRefusal(catalogue, model, environmentSecret))] };
}
