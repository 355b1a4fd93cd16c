/** Whether the key of a model's provider is there. Pure. */
import type { ModelProvider } from "./model-catalogue.ts";

/** The value of a variable of the platform's environment; empty when it is not set. */
export type KeyOf = (variable: string) => string;

/** The variable that should hold the provider's key and does not; undefined when it does, or the provider wants none. */
export function missingKey({ key_env }: Pick<ModelProvider, "key_env">, keyOf: KeyOf): string | undefined {
	return key_env !== "" && keyOf(key_env) === "" ? key_env : undefined;
}

export function keyNotSet(model: string, variable: string): string {
	return `Model "${model}" cannot be used: ${variable} is not set where the platform was started`;
}
