/**
 * Reads the configuration from its sources. Later sources win: the schema's defaults, config/default.yaml, the file in
 * `ATELIER_CONFIG`, the environment. A wrong key or value ends the start with a sentence that names it.
 */
import { machineVariables, withheldVariables } from "./machine-variables.ts";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { baseUrl } from "#shared/base/base-url.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { Output, Rule, Schema } from "#shared/base/schema/schema.ts";
import { compileSchema, type Failure } from "#shared/base/schema/validator.ts";
import { configSchema } from "./config-schema.ts";
import { missingAdapter } from "./adapter-module.ts";
import { fromEnvironment, plain } from "./env.ts";
import { environment } from "./environment.ts";
import { defaultDataFolder } from "#shared/base/files/default-data-folder.js";
import { ofChart } from "./chart-keys.ts";
import { isTokenMap, maskSecrets } from "./mask-secrets.ts";
import { oneLine } from "#shared/base/one-line.ts";
import { didYouMean } from "#shared/base/nearest-name.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { SettingError } from "#shared/base/start-error.ts";
import { type ConfigFile, wrongValue } from "./mistakes/wrong-value.ts";
import { yamlValue } from "#shared/base/yaml/yaml-text.ts";

export type Config = Output<typeof configSchema>;
export type BusConfig = Config["bus"];

/** A key or a value that cannot be used; the message is a sentence for the person who starts the platform. */
export class ConfigError extends SettingError {
	override readonly name = "ConfigError";
}

type Tree = Record<string, unknown>;

/** Returns the merged and checked configuration; `data_dir` is absolute. @throws {ConfigError} */
export function loadConfig(env: NodeJS.ProcessEnv = environment()): Config {
	const paths = [
		join(projectRoot, "config/default.yaml"),
		...(env["ATELIER_CONFIG"] ? [resolve(env["ATELIER_CONFIG"])] : []),
	];
	const files = paths.map((path) => ({ path, tree: readLayer(path) }));
	const layers = [...files.map(({ tree }) => tree), variables(env), shortForms(env)];
	const merged = layers.reduce<Tree>((below, layer) => merge(below, layer), skeleton(configSchema));
	refuseUnknown(merged, configSchema, []);
	for (const layer of layers) refuseMisshapen(layer, configSchema, []);
	const failures = compileSchema(configSchema)(merged);
	if (failures.length > 0)
		throw new ConfigError(failures.map((failure) => sentence(failure, merged, { env, files })).join("\n"));
	refuseMissingAdapters(merged, []);
	const { data_dir } = merged as Config;
	return { ...(merged as Config), data_dir: data_dir === "" ? defaultDataFolder(env) : resolve(data_dir) };
}

/** The variables with short names (wrong-value.ts). A port that is no number stays text, so that the refusal shows it. */
function shortForms(env: NodeJS.ProcessEnv): Tree {
	const { PORT = "" } = env;
	return {
		...(env["DATA_DIR"] && { data_dir: env["DATA_DIR"] }),
		...(env["ATELIER_INSTALLATION_KEY"] && { installation_key: env["ATELIER_INSTALLATION_KEY"] }),
		gateway: {
			...(env["HOST"] && { host: env["HOST"] }),
			...(PORT !== "" && { port: /^\d+$/.test(PORT) ? Number(PORT) : PORT }),
		},
	};
}

function variables(env: NodeJS.ProcessEnv): Tree {
	try {
		return fromEnvironment(env, configSchema);
	} catch (error) {
		throw new ConfigError((error as Error).message);
	}
}

function readLayer(file: string): Tree {
	let content: unknown;
	try {
		content = yamlValue(readFileSync(file, "utf8")) ?? {};
	} catch (error) {
		throw new ConfigError(`Cannot read the configuration file "${file}": ${(error as Error).message}`);
	}
	if (!isJsonObject(content)) throw new ConfigError(`The configuration file "${file}" must hold a map of keys`);
	const tree = canonical(content, configSchema);
	refuseUnknown(tree, configSchema, [], ` in the file "${file}"`);
	return tree;
}

/**
 * Refuses a layer with a value in the place of a section. Of the merged layers it would not be seen, because a later layer replaces
 * it. @throws {ConfigError}
 */
function refuseMisshapen(layer: Tree, fields: Schema, path: readonly string[]): void {
	for (const [key, value] of Object.entries(layer)) {
		const rule = Object.hasOwn(fields, key) ? fields[key] : undefined;
		if (rule?.type !== "object" || value === undefined || value === null) continue;
		const name = [...path, key];
		if (!isJsonObject(value))
			throw new ConfigError(
				`Configuration key "${name.join(".")}" cannot be ${Array.isArray(value) ? "a list" : `a ${typeof value}`}: allowed is a map of keys`,
			);
		refuseMisshapen(value, rule.props, name);
	}
}

/** Returns an empty object for every section, so that the defaults inside a section apply when it is absent. */
function skeleton(fields: Schema): Tree {
	const sections = Object.entries(fields).filter(([, rule]) => rule.type === "object" && !rule.optional);
	return Object.fromEntries(sections.map(([name, rule]) => [name, rule.type === "object" ? skeleton(rule.props) : {}]));
}

/** Returns the tree with keys in the schema's spelling, because files may use camel case or snake case. */
function canonical(tree: Tree, fields: Schema): Tree {
	const entries = Object.entries(tree).map(([key, value]) => {
		const name = Object.keys(fields).find((field) => plain(field) === plain(key)) ?? key;
		const rule = fields[name];
		return [name, rule?.type === "object" && isJsonObject(value) ? canonical(value, rule.props) : value];
	});
	return Object.fromEntries(entries);
}

/**
 * Merges two layers. An adapter's arguments belong to that adapter, so a layer that names another adapter discards the
 * arguments below it.
 */
function merge(below: Tree, above: Tree): Tree {
	const base = "adapter" in above && above["adapter"] !== below["adapter"] ? {} : below;
	const merged: Tree = { ...base };
	for (const [key, value] of Object.entries(above)) {
		const former = merged[key];
		merged[key] = isJsonObject(former) && isJsonObject(value) ? merge(former, value) : value;
	}
	return merged;
}

/** @param place The words for where the keys stand. @throws {ConfigError} */
function refuseUnknown(tree: Tree, fields: Schema, path: string[], place = ""): void {
	for (const [key, value] of Object.entries(tree)) {
		const rule = Object.hasOwn(fields, key) ? fields[key] : undefined;
		const name = [...path, key].join(".");
		if (!rule) throw new ConfigError(ofChart(plain(key), name) ?? unknownKey(name, Object.keys(fields), place));
		if (rule.type === "object" && isJsonObject(value)) refuseUnknown(value, rule.props, [...path, key], place);
		if (rule.type === "array" && Array.isArray(value)) refuseUnknownIn(value, rule.items, [...path, key], place);
	}
}

function unknownKey(name: string, known: readonly string[], place: string): string {
	const near = didYouMean(known, name.split(".").at(-1) ?? "");
	const remedy = near === "" ? "; allowed" : `${near} Allowed`;
	return `Unknown configuration key "${name}"${place}${remedy} here: ${known.join(", ")}`;
}

function refuseUnknownIn(list: readonly unknown[], rule: Rule, path: string[], place: string): void {
	if (rule.type !== "object") return;
	for (const [index, item] of list.entries())
		if (isJsonObject(item)) refuseUnknown(item, rule.props, [...path, String(index)], place);
}

/** Refuses adapters whose files do not exist, whichever key names them. @throws {ConfigError} */
function refuseMissingAdapters(tree: Tree, path: string[]): void {
	for (const [key, value] of Object.entries(tree)) {
		const place = [...path, key];
		if (isJsonObject(value)) refuseMissingAdapters(value, place);
		if (typeof value !== "string" || !/(^|_)adapter$/.test(key)) continue;
		const missing = missingAdapter(value);
		if (missing === undefined) continue;
		throw new ConfigError(`Configuration key "${place.join(".")}" cannot be "${value}": ${missing}`);
	}
}

function sentence(failure: Failure, tree: Tree, places: { env: NodeJS.ProcessEnv; files: ConfigFile[] }): string {
	const { path } = failure;
	const name = path.find((key) => isTokenMap(String(key))) ?? path.at(-1);
	const shown = maskSecrets(path.reduce<unknown>(memberOf, tree), String(name));
	return wrongValue(failure, shown, { schema: configSchema, ...places });
}

function memberOf(node: unknown, key: string | number): unknown {
	if (Array.isArray(node)) return node[Number(key)];
	return isJsonObject(node) ? node[key] : undefined;
}

/**
 * Returns the base URL of the API for clients on this machine: `ATELIER_URL`, or the address that the configuration
 * names. @throws {ConfigError} when `ATELIER_URL` is no URL of a server.
 */
export function apiUrl(env: NodeJS.ProcessEnv = environment()): string {
	const { host, port, product, public_url } = loadConfig(env).gateway;
	const { ATELIER_URL = "" } = env;
	if (ATELIER_URL !== "" && !isWebUrl(ATELIER_URL))
		throw new ConfigError(
			`The variable ATELIER_URL must be the address of a platform, such as http://127.0.0.1:8080, and not "${oneLine(ATELIER_URL, 200)}"`,
		);
	const base = ATELIER_URL || public_url || `http://${host}:${port}`;
	return `${baseUrl(base)}/api/v1/${product}`;
}

function isWebUrl(text: string): boolean {
	return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

const login = /^(SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR)$/;

/**
 * Returns the variables that session agents inherit: those about the machine and its network, the language, and the
 * person's ssh agent and key ring.
 * @param withCredentials The names of those that may hold a user and password.
 */
export function inheritedEnvironment(
	env: NodeJS.ProcessEnv = environment(),
	withCredentials: readonly string[] = [],
): Record<string, string> {
	const entries = Object.entries(env).filter(([name]) => login.test(name));
	return {
		...machineVariables(env, withCredentials),
		...Object.fromEntries(entries.map(([name, value = ""]) => [name, value])),
	};
}

/** Returns the names of the variables about the network that session agents do not inherit, because of a credential. */
export function withheldEnvironment(
	withCredentials: readonly string[],
	env: NodeJS.ProcessEnv = environment(),
): string[] {
	return withheldVariables(env, withCredentials);
}

/** Returns the value of a variable that holds a secret, e.g. a provider's key; empty when it is not set. */
export function environmentSecret(name: string, env: NodeJS.ProcessEnv = environment()): string {
	return env[name] ?? "";
}
