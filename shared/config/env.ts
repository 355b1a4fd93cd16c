/**
 * Reads configuration from environment variables: `GIT__VALIDATE_ON_CREATE=true` sets `git.validate_on_create`. Case
 * and underscores inside a name do not matter (`CREDENTIALSTORE__ADAPTER` is `credentialStore.adapter`). Below a
 * free-form map, the lower-case name of the variable is the key, and the value stays text.
 */
import type { Rule, Schema } from "#shared/base/schema/schema.ts";
import { ofChart } from "./chart-keys.ts";
import { nearestName } from "#shared/base/nearest-name.ts";
import { yamlValue } from "#shared/base/yaml/yaml-text.ts";

type Tree = Record<string, unknown>;

const unsafeKeys = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Returns the part of `env` that names keys of `schema`, as a tree of the same shape.
 * @throws {SyntaxError} that names the variable and does not repeat its value, also for a variable that begins with a
 * name of `schema` and goes on with none.
 */
export function fromEnvironment(env: NodeJS.ProcessEnv, schema: Schema): Tree {
	const root: Tree = {};
	for (const [variable, text] of Object.entries(env)) {
		if (!variable.includes("__") || text === undefined) continue;
		const parts = variable.split("__");
		const place = locate(parts, schema);
		if (place) set(root, place.path, valueOf(variable, text, place.rule));
		else if (keyOf(parts[0] ?? "", schema) !== undefined)
			throw new SyntaxError(ofChart(plain(parts.at(-1) ?? ""), variable) ?? unknownVariable(variable, parts, schema));
	}
	return root;
}

/** Makes the sentence about a variable without a key: which one was probably meant, and which ones there are. */
function unknownVariable(variable: string, parts: readonly string[], schema: Schema, above = ""): string {
	const [part = "", ...deeper] = parts;
	const rule = schema[keyOf(part, schema) ?? ""];
	if (rule) return unknownVariable(variable, deeper, rule.type === "object" ? rule.props : {}, `${above}${part}__`);
	const written = (name: string) => above + name.toUpperCase();
	const names = Object.keys(schema);
	const sentence = `The environment variable "${variable}" names no key of the configuration`;
	if (names.length === 0) return `${sentence}; remove it`;
	const near = nearestName(names, part);
	const remedy = near === undefined ? "; known" : `; did you mean "${written(near)}"? Known`;
	return `${sentence}${remedy}: ${names.map(written).join(", ")}`;
}

function keyOf(part: string, schema: Schema): string | undefined {
	return Object.keys(schema).find((name) => plain(name) === plain(part));
}

interface LocatedRule {
	path: string[];
	rule: Rule | undefined;
}

function locate(parts: readonly string[], schema: Schema): LocatedRule | undefined {
	const [part = "", ...deeper] = parts;
	const key = keyOf(part, schema);
	const rule = key === undefined ? undefined : schema[key];
	if (key === undefined || rule === undefined) return undefined;
	if (deeper.length === 0) return { path: [key], rule };
	if (rule.type === "record") return locateFreeForm(key, deeper);
	const below = rule.type === "object" ? locate(deeper, rule.props) : undefined;
	return below && { path: [key, ...below.path], rule: below.rule };
}

function locateFreeForm(key: string, deeper: readonly string[]): LocatedRule | undefined {
	const names = deeper.map((part) => part.toLowerCase());
	return names.some((name) => name === "" || unsafeKeys.has(name))
		? undefined
		: { path: [key, ...names], rule: undefined };
}

/** Returns the name without case, underscores and dashes, in which spellings of a name differ. */
export function plain(name: string): string {
	return name.replaceAll(/[_-]/g, "").toLowerCase();
}

/** Parses a value. Only typed leaves are read as YAML: a client id `0123` in a free-form map stays text. */
function valueOf(variable: string, text: string, rule: Rule | undefined): unknown {
	if (rule === undefined || rule.type === "string" || rule.type === "enum") return text;
	try {
		return yamlValue(text);
	} catch (error) {
		throw new SyntaxError(`Cannot read the environment variable "${variable}": ${(error as Error).message}`);
	}
}

function set(root: Tree, path: readonly string[], value: unknown): void {
	let node = root;
	for (const key of path.slice(0, -1)) node = (node[key] ??= {}) as Tree;
	node[path.at(-1)!] = value;
}
