/** Makes the sentence for a model that the catalogue does not have. Pure. */
import { nearestName } from "#shared/base/nearest-name.ts";
import type { ModelCatalogue } from "./model-catalogue.ts";

/** The most models that the sentence names. */
const maxNamed = 20;
/** The most characters of an unknown name that the sentence shows. */
const maxShown = 100;

/** Returns a sentence that lists the available models, at most 20, and the one that was probably meant. */
export function unknownModel({ models }: Pick<ModelCatalogue, "models">, name: string): string {
	const wanted = `There is no model "${name.slice(0, maxShown)}"`;
	if (models.length === 0) return `${wanted}; the platform's catalogue of models has none`;
	const near = nearest(models, name);
	const meant = near === undefined ? "" : `; did you mean "${near}"?`;
	const ids = models.slice(0, maxNamed).map(({ id }) => id);
	const further = models.length > maxNamed ? ` and ${models.length - maxNamed} more` : "";
	return `${wanted}${meant || ";"} ${meant ? "Known" : "known"}: ${ids.join(", ")}${further}`;
}

/** Finds a model whose id or title contains the name, or whose id is similar. */
function nearest(models: ModelCatalogue["models"], name: string): string | undefined {
	const wanted = name.slice(0, maxShown).toLowerCase();
	const holds = (text: string): boolean => wanted !== "" && text.toLowerCase().includes(wanted);
	const holder = models.find((model) => holds(model.id) || holds(model.name));
	const ids = models.map(({ id }) => id);
	return holder ? holder.id : nearestName(ids, wanted);
}
