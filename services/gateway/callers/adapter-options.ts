/** Checks the arguments of an identity adapter, so that a misspelt one ends the start instead of changing who may enter. */
import type { Output, Schema } from "#shared/bus/schema.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import { ConfigError } from "#shared/config/config.ts";

/** The arguments that the platform itself supplies. */
const supplied = ["dataDir", "localTokenKey", "log", "standing"];

/** Returns the arguments with their defaults. @throws {ConfigError} that names the argument and not its value. */
export function checkedOptions<S extends Schema>(rules: S, kwargs: Readonly<Record<string, unknown>>): Output<S> {
	const given = Object.entries(kwargs).filter(([key, value]) => !supplied.includes(key) && value !== undefined);
	const options = Object.fromEntries(given);
	const unknown = Object.keys(options).find((key) => !Object.hasOwn(rules, key));
	if (unknown !== undefined) {
		const allowed = Object.keys(rules).join(", ");
		throw new ConfigError(`Unknown configuration key "identity.kwargs.${unknown}"; allowed here: ${allowed}`);
	}
	const [failure] = compileSchema(rules)(options);
	if (failure)
		throw new ConfigError(`Configuration key "identity.kwargs.${failure.path.join(".")}": ${failure.message}`);
	return options as Output<S>;
}
