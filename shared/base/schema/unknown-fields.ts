/** Finds members of a file that its schema does not have; otherwise they would be ignored without a message. Pure. */
import { isJsonObject } from "./json-object.ts";
import type { Rule, Schema } from "./schema.ts";

/** The names of maps and the positions in lists that lead to a member. */
type Path = readonly (string | number)[];

export function unknownFields(value: unknown, fields: Schema, above: Path = []): Path[] {
	return Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, inner]) => {
		const path = [...above, name];
		const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
		return rule ? unknownWithin(inner, rule, path) : [path];
	});
}

function unknownWithin(value: unknown, rule: Rule, path: Path): Path[] {
	if (rule.type === "object") return unknownFields(value, rule.props, path);
	if (rule.type !== "array" || !Array.isArray(value)) return [];
	return value.flatMap((item, index) => unknownWithin(item, rule.items, [...path, index]));
}
