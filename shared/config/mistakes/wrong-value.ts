/** Makes the sentence about a value that the configuration cannot use: the key, its variable, the value, and what is allowed. Pure. */
import type { Rule, Schema } from "#shared/base/schema/schema.ts";
import type { Failure } from "#shared/base/schema/validator.ts";
import { plain } from "../env.ts";

export const shortNames = {
	PORT: "gateway.port",
	HOST: "gateway.host",
	DATA_DIR: "data_dir",
	ATELIER_INSTALLATION_KEY: "installation_key",
} as const;

/** The places from which a wrong value may come. */
export interface ValuePlaces {
	readonly schema: Schema;
	readonly env: NodeJS.ProcessEnv;
	/** The files that are read, later ones with precedence. */
	readonly files: readonly ConfigFile[];
}

export interface ConfigFile {
	readonly path: string;
	readonly tree: Readonly<Record<string, unknown>>;
}

/** @param shown The value as it may be shown, without secrets. */
export function wrongValue({ path, message }: Failure, shown: unknown, { schema, env, files }: ValuePlaces): string {
	const key = path.join(".");
	const source = sourceOf(path, env, files);
	const needed = neededBy(ruleAt(path, { type: "object", props: schema }));
	return `Configuration key "${key}"${source} cannot be ${JSON.stringify(shown)}: ${needed === undefined ? message : `allowed is ${needed}`}`;
}

/** Returns the place of a value for the sentence: a variable, which has precedence, or the last file that has the key. */
function sourceOf(path: Failure["path"], env: NodeJS.ProcessEnv, files: readonly ConfigFile[]): string {
	const above = path.map((_, index) => path.slice(0, path.length - index).join("."));
	// A variable may hold the whole list or map around the value. One without a section would be another program's.
	const variable =
		variableOf(above[0] ?? "", env) ??
		above
			.slice(1, -1)
			.map((key) => variableOf(key, env))
			.find(Boolean);
	if (variable !== undefined) return ` (environment variable ${variable})`;
	const file = files.findLast(({ tree }) => has(tree, path));
	return file === undefined ? "" : ` in the file "${file.path}"`;
}

function has(tree: unknown, [name, ...deeper]: Failure["path"]): boolean {
	if (name === undefined) return true;
	const isThere = typeof tree === "object" && tree !== null && name in tree;
	return isThere && has((tree as Record<string | number, unknown>)[name], deeper);
}

/** Returns the variable that sets a key; undefined when a file does. */
function variableOf(key: string, env: NodeJS.ProcessEnv): string | undefined {
	const short = Object.entries(shortNames).find(([name, of]) => of === key && env[name]);
	const spelled = key.split(".").map(plain).join(".");
	return short?.[0] ?? Object.keys(env).find((name) => name.split("__").map(plain).join(".") === spelled);
}

function ruleAt(path: readonly (string | number)[], rule: Rule | undefined): Rule | undefined {
	const [key, ...deeper] = path;
	if (key === undefined || rule === undefined) return rule;
	if (rule.type === "object") return ruleAt(deeper, rule.props[key]);
	if (rule.type === "array") return ruleAt(deeper, rule.items);
	return rule.type === "record" ? ruleAt(deeper, rule.value) : undefined;
}

/** The words for values of types without bounds. */
const kinds: Readonly<Partial<Record<Rule["type"], string>>> = {
	boolean: "true or false",
	object: "a map of keys",
	record: "a map of keys",
};

/** Returns the words for the values that a rule allows; undefined when only the message of the check says it. */
function neededBy(rule: Rule | undefined): string | undefined {
	if (rule?.type === "number") return numbers(rule);
	if (rule?.type === "string") return texts(rule);
	if (rule?.type === "enum") return `one of ${rule.values.join(", ")}`;
	if (rule?.type === "array") return `a list${bounds(rule, " of", " members")}, written as [a, b]`;
	return rule && kinds[rule.type];
}

function numbers(rule: { integer?: boolean; min?: number; max?: number }): string {
	return `${rule.integer ? "a whole number" : "a number"}${bounds(rule, "", "")}`;
}

function texts(rule: { min?: number; max?: number; pattern?: string; description?: string }): string | undefined {
	if (rule.pattern !== undefined)
		return rule.description === undefined ? undefined : `a text of this form: ${rule.description}`;
	return `a text${bounds(rule, " of", " characters")}`;
}

function bounds({ min, max }: { min?: number; max?: number }, before: string, after: string): string {
	if (min !== undefined && max !== undefined) return `${before} from ${min} to ${max}${after}`;
	if (min !== undefined) return `${before} at least ${min}${after}`;
	return max === undefined ? "" : `${before} at most ${max}${after}`;
}
