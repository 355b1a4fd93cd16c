/** Finds out whether the key of a model's provider is set, and can be one. Pure. */
import { ConfigError } from "#shared/config/config.ts";
import type { ModelProvider } from "./model-catalogue.ts";

/** Returns the value of a variable of the platform's environment; empty when it is not set. */
export type KeyOf = (variable: string) => string;

/** Returns the variable that should hold the provider's key and is not set; undefined when it is set or none is needed. */
export function missingKey({ key_env }: Pick<ModelProvider, "key_env">, keyOf: KeyOf): string | undefined {
	return key_env !== "" && keyOf(key_env) === "" ? key_env : undefined;
}

/** The visible characters of ASCII. A key is sent in an HTTP header, which carries no line break. */
const keyForm = /^[\x21-\x7e]*$/;

/**
 * Refuses a key that no provider can accept before a session fails because of it. A key that is not set is no error.
 * @throws {ConfigError} that names the variable and does not repeat its value.
 */
export function refuseMalformedKeys(providers: readonly ModelProvider[], keyOf: KeyOf): void {
	const wrong = providers.find(({ key_env }) => key_env !== "" && !keyForm.test(keyOf(key_env)));
	if (wrong === undefined) return;
	throw new ConfigError(
		`The environment variable "${wrong.key_env}" cannot be the key of the model provider "${wrong.id}": ` +
			"a key has no spaces, no line breaks and no characters outside ASCII",
	);
}

export function keyNotSet(model: string, variable: string): string {
	return `Model "${model}" cannot be used: ${variable} is not set where the platform was started`;
}
