/** Checks of single arguments of a runtime, which the configuration does not make. Pure. */
import { ConfigError } from "#shared/config/config.ts";

/** @throws {ConfigError} unless the value is a text of the form. @param what What the form means, e.g. `a list of hosts`. */
export function fitting(name: string, value: unknown, form: RegExp, what: string): string {
	if (typeof value === "string" && form.test(value)) return value;
	throw refused(name, what, value);
}

/** @throws {ConfigError} unless the value is a whole number within the bounds. */
export function whole(name: string, value: unknown, min: number, max: number): number {
	if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
	throw refused(name, `a whole number from ${min} to ${max}`, value);
}

/** @throws {ConfigError} unless the value is one of the allowed ones. */
export function oneOf<const Value extends string>(name: string, value: unknown, allowed: readonly Value[]): Value {
	const found = allowed.find((one) => one === value);
	if (found !== undefined) return found;
	throw refused(name, `one of ${allowed.join(", ")}`, value);
}

/** Returns the error that names the argument, what it has to be, and what it is. */
export function refused(name: string, what: string, value: unknown): ConfigError {
	return new ConfigError(`Configuration key "pods.runtime.kwargs.${name}" has to be ${what}: ${JSON.stringify(value)}`);
}
