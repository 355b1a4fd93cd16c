/** The models a session may name: those of the catalogue. Whether the key of one is set is known where pods are started. */
import { UnprocessableError } from "#shared/errors.ts";
import type { ModelCatalogue } from "#shared/models/model-catalogue.ts";
import { unknownModel } from "#shared/models/unknown-model.ts";

export class KnownModels {
	readonly #catalogue: ModelCatalogue;
	readonly #ids: ReadonlySet<string>;

	constructor(catalogue: ModelCatalogue) {
		this.#catalogue = catalogue;
		this.#ids = new Set(catalogue.models.map(({ id }) => id));
	}

	/** @param model Empty: the catalogue's default, or none. @throws {UnprocessableError} that names those there are (decision 0030). */
	refuseUnknown(model: string): void {
		if (model === "" || this.#ids.has(model)) return;
		throw new UnprocessableError(unknownModel(this.#catalogue, model), "MODEL_UNKNOWN");
	}
}
