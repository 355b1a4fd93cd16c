/** Makes the sentence for a model that the catalogue does not have. Pure. */
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

/** Finds a model whose id or title contains the name, or whose id differs from it in less than half of its letters. */
function nearest(models: ModelCatalogue["models"], name: string): string | undefined {
	const wanted = name.slice(0, maxShown).toLowerCase();
	const holds = (text: string): boolean => wanted !== "" && text.toLowerCase().includes(wanted);
	const holder = models.find((model) => holds(model.id) || holds(model.name));
	if (holder) return holder.id;
	const [best] = models
		.map(({ id }) => ({ id, far: editDistance(wanted, id.toLowerCase()) }))
		.toSorted((a, b) => a.far - b.far);
	return best && best.far < wanted.length / 2 ? best.id : undefined;
}

/** Counts the letters to insert, remove or replace (Levenshtein distance). */
function editDistance(a: string, b: string): number {
	let above = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (const [row, letter] of a.split("").entries()) {
		const line = [row + 1];
		for (const [column, other] of b.split("").entries()) {
			const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
			line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
		}
		above = line;
	}
	return above.at(-1) ?? 0;
}
