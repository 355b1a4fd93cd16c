/** Checks the values of an identity adapter's arguments, so that a wrong one ends the start instead of changing who may enter. */
import type { Output, Schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { ConfigError } from "#shared/config/config.ts";

/**
 * Returns the arguments of the configuration with their defaults, without those that the platform supplies.
 * @throws {ConfigError} that names the argument and not its value.
 */
export function checkedOptions<S extends Schema>(rules: S, kwargs: Readonly<Record<string, unknown>>): Output<S> {
	const given = Object.entries(kwargs).filter(([key, value]) => Object.hasOwn(rules, key) && value !== undefined);
	const options = Object.fromEntries(given);
	const [failure] = compileSchema(rules)(options);
	if (failure)
		throw new ConfigError(`Configuration key "identity.kwargs.${failure.path.join(".")}": ${failure.message}`);
	return options as Output<S>;
}

/** Returns the names of the arguments that are no text, which variables of the environment give as YAML. */
export function typedNames(rules: Schema): string[] {
	const isText = ({ type }: Schema[string]) => type === "string" || type === "enum" || type === "multi";
	return Object.keys(rules).filter((name) => !isText(rules[name] ?? { type: "any" }));
}
