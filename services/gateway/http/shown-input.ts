/**
 * Prepares the refused value for the answer that repeats it. Members that the contract names are shown. Texts of free members
 * are masked, because they are where requests have secrets; unknown members are left out, because one may be a misspelt secret.
 */
import type { Rule } from "#shared/base/schema/schema.ts";

const mask = "***";

export function shownInput(value: unknown, rule: Rule): unknown {
	if (!isStructure(value)) return value;
	if (rule.type === "array" && Array.isArray(value)) return value.map((item) => shownItem(item, rule.items));
	if (rule.type !== "object" || Array.isArray(value)) return masked(value);
	const known = Object.entries(rule.props).filter(([name]) => Object.hasOwn(value, name));
	return Object.fromEntries(known.map(([name, own]) => [name, shownItem(Reflect.get(value, name), own)]));
}

function shownItem(value: unknown, rule: Rule): unknown {
	return rule.type === "any" || rule.type === "record" ? masked(value) : shownInput(value, rule);
}

function masked(value: unknown): unknown {
	if (typeof value === "string") return mask;
	if (Array.isArray(value)) return value.map(masked);
	if (!isStructure(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
}

function isStructure(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}
