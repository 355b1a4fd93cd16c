/**
 * Checks values against schemas; this is the only module that uses fastest-validator.
 * @example
 * ```ts
 * const check = compileSchema({ limit: { type: "number", integer: true, min: 1, default: 50 } });
 * const failures = check(params); // empty when the value is valid; `params.limit` then has its default
 * ```
 */
import FastestValidator, { type BrokenRule } from "fastest-validator";
import { fitsJson } from "./json-size.ts";
import type { Rule, Schema } from "./schema.ts";

/** One violation of a rule. */
export interface Failure {
	/** The name of the violated rule, e.g. `required`, `stringPattern`, `enumValue`. */
	type: string;
	/** The path of the wrong member within the checked value: `["source", "paths", 0, "host_path"]`. */
	path: (string | number)[];
	message: string;
	/** The value that the rule requires; absent when there is no single one. */
	expected?: unknown;
}

/**
 * Checks a value and returns the violations; an empty list means that the value is valid. Defaults are filled in and
 * unknown members removed, both in place.
 */
export type Check = (value: unknown) => Failure[];

/** The beginning of the message of a pattern that the schema has words for. */
export const patternSentence = "String should ";

const fastest = new FastestValidator({ considerNullAsAValue: true });

export function compileSchema(fields: Schema): Check {
	return compile({ type: "object", props: fields });
}

export function compileRule(rule: Rule): Check {
	return compile(rule);
}

/** Compiles a rule when it checks its first value, because a process has many schemas and uses few of them. */
function compile(rule: Rule): Check {
	let check: ReturnType<typeof fastest.compile> | undefined;
	return (value) => {
		check ??= fastest.compile({ $$root: true, ...strictRule(rule) });
		const raw = check(value);
		return raw === true ? [] : raw.map(failure);
	};
}

/**
 * Returns the library's form of a rule: a fresh object, because the library mistakes shared ones for cycles, and
 * without null unless the rule allows it.
 */
function strictRule(rule: Rule): object {
	const common = { ...rule, ...safeRange(rule), ...sizeCheck(rule), nullable: rule.nullable ?? false };
	if (rule.type === "object") {
		const props = Object.entries(rule.props).map(([name, field]) => [name, strictRule(field)]);
		return { ...common, strict: "remove", props: Object.fromEntries(props) };
	}
	if (rule.type === "array") return { ...common, items: strictRule(rule.items) };
	if (rule.type === "record")
		return { ...common, names: undefined, key: { ...rule.key }, value: strictRule(rule.value) };
	if (rule.type === "multi") return { ...common, rules: rule.rules.map(strictRule) };
	if (rule.type === "any") return { ...common, nullable: true };
	if (rule.type === "string" && rule.words !== undefined) {
		return { ...common, messages: { stringPattern: `${patternSentence}${rule.words}` } };
	}
	return common;
}

/** An integer is one that a number has exactly: a larger one cannot be stored, or is another one afterwards. */
function safeRange(rule: Rule): object {
	if (rule.type !== "number" || !rule.integer) return {};
	const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = rule;
	return { min: Math.max(min, Number.MIN_SAFE_INTEGER), max: Math.min(max, Number.MAX_SAFE_INTEGER) };
}

/** Returns the library's hook for an additional check: its result is true or a list of violations. */
function sizeCheck(rule: Rule): object {
	if (!("max_bytes" in rule) || rule.max_bytes === undefined) return {};
	const failed = [{ type: "jsonSize", expected: rule.max_bytes }];
	const { max_bytes } = rule;
	return { custom: (value: unknown) => fitsJson(value, max_bytes) || failed };
}

function failure({ type, field = "", message = "", expected }: BrokenRule): Failure {
	return { type, path: fieldPath(field), message, ...(expected !== undefined && { expected }) };
}

/** `source.paths[0].host_path` → `["source", "paths", 0, "host_path"]`. */
function fieldPath(field: string): (string | number)[] {
	const parts = field.match(/[^.[\]]+/g) ?? [];
	return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll(/^'|'$/g, "")));
}
