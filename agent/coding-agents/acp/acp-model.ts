/** Chooses a model among the options of a session of the Agent Client Protocol. Pure. */
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";

/** Returns the option for the model, if the agent has one. */
export function modelOption(options: readonly JsonObject[]): JsonObject | undefined {
	return options.find(({ category, type }) => category === "model" && type === "select");
}

/**
 * Returns the parameters of the request that chooses a model by value or name.
 * @throws {Error} with a sentence when the model is not offered.
 */
export function modelChoice(option: JsonObject, model: string): { configId: unknown; value: unknown } {
	// The list holds options, or groups of options.
	const known = objectsOf(option["options"]).flatMap((entry) =>
		entry["options"] ? objectsOf(entry["options"]) : [entry],
	);
	const chosen = known.find(({ value, name }) => value === model || name === model);
	if (chosen) return { configId: option["id"], value: chosen["value"] };
	const names = known.map(({ value }) => String(value)).join(", ");
	throw new Error(`The coding agent has no model "${model}"; it offers ${names}`);
}
