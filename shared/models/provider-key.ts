/** Finds out whether the key of a model's provider is set. Pure. */
import type { ModelProvider } from "./model-catalogue.ts";

/** Returns the value of a variable of the platform's environment; empty when it is not set. */
export type KeyOf = (variable: string) => string;

/**
 * Returns the variable that should hold the provider's key and is not set; undefined when it is set or none is needed.
 */
export function missingKey({ key_env }: Pick<ModelProvider, "key_env">, keyOf: KeyOf): string | undefined {
	return key_env !== "" && keyOf(key_env) === "" ? key_env : undefined;
}

export function keyNotSet(model: string, variable: string): string {
	return `Model "${model}" cannot be used: ${variable} is not set where the platform was started`;
}
