/** Makes the smallest value that fits a JSON schema, for tools and answers whose content does not matter. */
import { isJson, type Json, jsonOf, listOf } from "./model-request.ts";

const byType: Record<string, unknown> = {
	string: "scripted",
	integer: 1,
	number: 1,
	boolean: false,
	array: [],
	null: null,
};

/** Returns a value with required members only. */
function instanceOf(schema: unknown): unknown {
	if (!isJson(schema)) return "scripted";
	const { const: fixed, enum: values, default: usual } = schema;
	if (fixed !== undefined) return fixed;
	if (Array.isArray(values)) return values[0];
	if (usual !== undefined) return usual;
	const [first] = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"]), ...listOf(schema["allOf"])];
	return first ? instanceOf(first) : plainInstance(schema);
}

/** Returns an object of this form with some given members. */
export function objectOf(schema: Json, given: Json): Json {
	const properties = jsonOf(schema["properties"]);
	const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
	const missing = required.filter((name) => typeof name === "string" && !(name in given)).map(String);
	return { ...Object.fromEntries(missing.map((name) => [name, instanceOf(properties[name])])), ...given };
}

function plainInstance(schema: Json): unknown {
	const type = typeOf(schema);
	if (type === "object") return objectOf(schema, {});
	if (type === "array" && Number(schema["minItems"] ?? 0) > 0) return [instanceOf(schema["items"])];
	if (type === "integer" || type === "number") return schema["minimum"] ?? 1;
	return byType[type] ?? "scripted";
}

/** Returns the type in lower case, because Gemini writes types in capitals. */
export function typeOf(schema: Json): string {
	const { type } = schema;
	const first: unknown = Array.isArray(type) ? type[0] : type;
	if (typeof first === "string") return first.toLowerCase();
	return "properties" in schema ? "object" : "string";
}
