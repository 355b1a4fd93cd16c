/** Checks values against schemas: the one place where fastest-validator is used. */
import FastestValidator, { type BrokenRule } from "fastest-validator";
import { fitsJson } from "./json-size.ts";
import type { Rule, Schema } from "./schema.ts";

/** One broken rule. */
export interface Failure {
	/** Machine name of the broken rule, e.g. `required`, `stringPattern`, `enumValue`. */
	type: string;
	/** Where, as a path below the value checked: `["source", "paths", 0, "host_path"]`. */
	path: (string | number)[];
	message: string;
	/** What the rule wanted, where it has a single answer. */
	expected?: unknown;
}

/** Fills in defaults, removes unknown members (both in place), and returns what is wrong; empty when nothing is. */
export type Check = (value: unknown) => Failure[];

const fastest = new FastestValidator({ considerNullAsAValue: true });

/** Compiles the check of an object with these fields. */
export function compileSchema(fields: Schema): Check {
	return compile({ type: "object", props: fields });
}

export function compileRule(rule: Rule): Check {
	return compile(rule);
}

/** A process has many schemas and uses few: each is compiled when it checks its first value. */
function compile(rule: Rule): Check {
	let check: ReturnType<typeof fastest.compile> | undefined;
	return (value) => {
		check ??= fastest.compile({ $$root: true, ...strictRule(rule) });
		const raw = check(value);
		return raw === true ? [] : raw.map(failure);
	};
}

/** The library's form of a rule: a fresh object (it mistakes shared ones for cycles), null refused unless allowed. */
function strictRule(rule: Rule): object {
	const common = { ...rule, ...sizeCheck(rule), nullable: rule.nullable ?? false };
	if (rule.type === "object") {
		const props = Object.entries(rule.props).map(([name, field]) => [name, strictRule(field)]);
		return { ...common, strict: "remove", props: Object.fromEntries(props) };
	}
	if (rule.type === "array") return { ...common, items: strictRule(rule.items) };
	if (rule.type === "record") return { ...common, key: { ...rule.key }, value: strictRule(rule.value) };
	if (rule.type === "multi") return { ...common, rules: rule.rules.map(strictRule) };
	if (rule.type === "any") return { ...common, nullable: true };
	return common;
}

/** The library's hook behind a rule of its own: true, or what is wrong. */
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
