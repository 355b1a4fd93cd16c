/**
 * Loads the adapters that the configuration names. This is the whole dependency injection of the system: a port is an
 * interface, an adapter is a class with one options argument, and the configuration names the class by module and
 * export.
 */
import { plain } from "./env.ts";
import { adapterClass } from "./adapter-module.ts";
import { environment } from "./environment.ts";
import { ofChart } from "./chart-keys.ts";
import { didYouMean } from "#shared/base/nearest-name.ts";
import { SettingError } from "#shared/base/start-error.ts";
import { yamlValue } from "#shared/base/yaml/yaml-text.ts";
import type { AdapterRef } from "./fields/adapter-fields.ts";

type AdapterClass = CallableFunction & Readonly<Record<string, unknown>>;

/**
 * Creates the adapter that the configuration names.
 * @typeParam Port The interface that the adapter must implement; `methods` are checked to exist.
 * @param given Arguments of the platform itself; the configuration cannot change them.
 * @throws {SettingError} when there is no such module or class, and for an argument that the class does not name in its static
 * member `kwargs`. {TypeError} when the adapter lacks a method.
 */
export async function loadAdapter<Port>(
	ref: AdapterRef,
	methods: readonly (keyof Port & string)[],
	given: Record<string, unknown> = {},
): Promise<Port> {
	const Adapter = await loadAdapterClass(ref);
	refuseUnknownArguments(ref, Adapter);
	const kwargs = { ...ref.kwargs, ...secretsOf(ref) };
	const adapter = made<Port>(ref.adapter, Adapter, { ...typedArguments(Adapter, kwargs), ...given });
	const missing = methods.filter((method) => typeof adapter[method] !== "function");
	if (missing.length > 0) throw new TypeError(`Cannot use adapter "${ref.adapter}": it lacks ${missing.join(", ")}`);
	return adapter;
}

/** @throws {SettingError} for arguments that the class refuses, whatever error it throws. */
function made<Port>(name: string, Adapter: AdapterClass, kwargs: Record<string, unknown>): Port {
	try {
		return Reflect.construct(Adapter, [kwargs]);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw new SettingError(`The adapter "${name}" cannot use its kwargs: ${error.message}`, { cause: error });
	}
}

/**
 * Returns the arguments with those read as YAML that a class names in its static member `typedKwargs`, because they are no text: a
 * variable of the environment has text only.
 * @throws {SettingError} that names the argument and not its value.
 */
export function typedArguments(
	{ typedKwargs }: AdapterClass,
	kwargs: Record<string, unknown>,
): Record<string, unknown> {
	const typed = Array.isArray(typedKwargs) ? typedKwargs.map(String) : [];
	const read = Object.entries(kwargs).filter(([name, value]) => typed.includes(name) && typeof value === "string");
	return { ...kwargs, ...Object.fromEntries(read.map(([name, value]) => [name, typedValue(name, String(value))])) };
}

function typedValue(name: string, text: string): unknown {
	try {
		return yamlValue(text);
	} catch (error) {
		throw new SettingError(`Cannot read the argument "${name}" of kwargs: ${(error as Error).message}`);
	}
}

/**
 * Returns the class that the configuration names, for its static members, which a process can read without having the
 * adapter's secrets.
 * @throws {SettingError} when there is no such module or class.
 */
export async function loadAdapterClass({ adapter }: Pick<AdapterRef, "adapter">): Promise<AdapterClass> {
	// The static members of a class are its properties.
	return (await adapterClass(adapter)) as AdapterClass;
}

/**
 * Refuses arguments that would be ignored. @throws {SettingError} that names the argument and not its value.
 * @param Adapter.kwargs The names of its arguments in the configuration; absent: it has none.
 */
export function refuseUnknownArguments(
	{ adapter, kwargs, secret_kwargs_env }: AdapterRef,
	{ kwargs: named }: Readonly<Record<string, unknown>>,
): void {
	const known = Array.isArray(named) ? named.map(String) : [];
	const unknown = Object.keys({ ...kwargs, ...secret_kwargs_env }).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const awaited = ofChart(plain(unknown), unknown);
	if (awaited !== undefined) throw new SettingError(awaited);
	const meant = didYouMean(known, unknown);
	throw new SettingError(
		`The adapter "${adapter}" has no argument "${unknown}"${meant || ";"} ${meant ? "Known" : "known"}: ${known.join(", ") || "none"}. Correct its kwargs, or name the adapter that has this argument`,
	);
}

function secretsOf({ secret_kwargs_env }: AdapterRef): Record<string, string | undefined> {
	return Object.fromEntries(Object.entries(secret_kwargs_env).map(([arg, variable]) => [arg, environment()[variable]]));
}
