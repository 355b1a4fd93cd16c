/** Finds members of a file that its schema does not have; otherwise they would be ignored without a message. Pure. */
import type { Rule, Schema } from "./schema.ts";

/** Returns the path of the first unknown member; undefined when there is none. */
export function unknownField(value: unknown, fields: Schema, above = ""): string | undefined {
	for (const [name, inner] of entriesOf(value)) {
		const path = `${above}${name}`;
		const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
		const unknown = rule ? unknownWithin(inner, rule, path) : path;
		if (unknown !== undefined) return unknown;
	}
	return undefined;
}

function unknownWithin(value: unknown, rule: Rule, path: string): string | undefined {
	if (rule.type === "object") return unknownField(value, rule.props, `${path}.`);
	if (rule.type !== "array" || !Array.isArray(value)) return undefined;
	const found = value.map((item, index) => unknownWithin(item, rule.items, `${path}.${index}`));
	return found.find((unknown) => unknown !== undefined);
}

function entriesOf(value: unknown): [string, unknown][] {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
