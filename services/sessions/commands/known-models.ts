/**
 * Checks the models that sessions name against the catalogue. Whether a model's key is set is known only where pods are
 * started.
 */
import { UnprocessableError } from "#shared/base/errors.ts";
import { idsByName, type ModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { modelTerms } from "#shared/wire/models/model-access.ts";
import type { ModelTerms } from "#shared/wire/models/model-wire.ts";
import { unknownModel } from "#shared/wire/models/unknown-model.ts";
import type { Blueprints } from "./launch-levels/merged-request.ts";

export class KnownModels {
	readonly #catalogue: ModelCatalogue;
	readonly #ids: ReadonlyMap<string, string>;

	constructor(catalogue: ModelCatalogue) {
		this.#catalogue = catalogue;
		this.#ids = idsByName(catalogue.models);
	}

	/** Returns the settings with the id of their model in the place of another name of it. */
	named<T extends { readonly model?: string | null | undefined }>(settings: T): T {
		const id = this.#ids.get(settings.model ?? "");
		return id === undefined ? settings : { ...settings, model: id };
	}

	/** Returns the blueprints with ids of models, as {@link named} does. */
	namedIn({ preset, profile, template, defaultProfile }: Blueprints): Blueprints {
		return {
			...(preset && { preset: this.named(preset) }),
			...(profile && { profile: this.named(profile) }),
			...(template && { template: this.named(template) }),
			...(defaultProfile && { defaultProfile: this.named(defaultProfile) }),
		};
	}

	/** Returns the terms of a model, for a pod that reaches its provider already. */
	termsOf(model: string): ModelTerms | undefined {
		return modelTerms(this.#catalogue, model);
	}

	/**
	 * @param model The model's name; empty: the catalogue's default, or none. @throws {UnprocessableError} that lists
	 * the available models (decision 0030).
	 */
	refuseUnknown(model: string): void {
		if (model === "" || this.#ids.has(model)) return;
		throw new UnprocessableError(unknownModel(this.#catalogue, model), "MODEL_UNKNOWN");
	}
}
