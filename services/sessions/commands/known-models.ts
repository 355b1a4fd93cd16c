/**
 * Checks the models that sessions name against the catalogue. Whether a model's key is set is known only where pods are
 * started.
 */
import { UnprocessableError } from "#shared/errors.ts";
import type { ModelCatalogue } from "#shared/models/model-catalogue.ts";
import { modelTerms } from "#shared/models/model-access.ts";
import type { ModelTerms } from "#shared/models/model-wire.ts";
import { unknownModel } from "#shared/models/unknown-model.ts";

/** The models of the catalogue. */
export class KnownModels {
	readonly #catalogue: ModelCatalogue;
	readonly #ids: ReadonlySet<string>;

	constructor(catalogue: ModelCatalogue) {
		this.#catalogue = catalogue;
		this.#ids = new Set(catalogue.models.map(({ id }) => id));
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
