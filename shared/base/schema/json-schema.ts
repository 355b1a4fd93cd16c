/** Converts rules to JSON Schema (draft 2020-12, as OpenAPI 3.1 embeds it). */
import type { Rule, Schema } from "./schema.ts";

type Json = Record<string, unknown>;

export function toJsonSchema(fields: Schema): Json {
	const required = Object.entries(fields)
		.filter(([, rule]) => !rule.optional && !("default" in rule))
		.map(([name]) => name);
	const properties = Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, ruleToJsonSchema(rule)]));
	return { type: "object", properties, ...(required.length > 0 && { required }) };
}

export function ruleToJsonSchema(rule: Rule): Json {
	const json = withoutUndefined(baseJsonSchema(rule));
	return {
		// The validator treats null like an absent member when there is a default.
		...(rule.nullable || "default" in rule ? { anyOf: [json, { type: "null" }] } : json),
		...describedBy(rule),
		...("default" in rule && { default: rule.default }),
	};
}

/** JSON Schema has no keyword for the size of a value, so the description says it. */
function describedBy(rule: Rule): Json {
	const size = "max_bytes" in rule && `At most ${rule.max_bytes} bytes as JSON`;
	const words = [rule.description, size].filter((part) => typeof part === "string");
	return words.length > 0 ? { description: words.join(". ") } : {};
}

function baseJsonSchema(rule: Rule): Json {
	switch (rule.type) {
		case "string":
			return {
				type: "string",
				minLength: rule.min,
				maxLength: rule.max,
				pattern: rule.pattern,
				format: rule.format,
			};
		case "uuid":
		case "email":
			return { type: "string", format: rule.type };
		case "url":
			return { type: "string", format: "uri" };
		case "number":
			return { type: rule.integer ? "integer" : "number", minimum: rule.min, maximum: rule.max };
		case "boolean":
			return { type: "boolean" };
		case "enum":
			return { type: "string", enum: rule.values };
		case "array":
			return { type: "array", items: ruleToJsonSchema(rule.items), minItems: rule.min, maxItems: rule.max };
		case "object":
			return toJsonSchema(rule.props);
		case "record":
			return { type: "object", additionalProperties: ruleToJsonSchema(rule.value) };
		case "multi":
			return { anyOf: rule.rules.map(ruleToJsonSchema) };
		case "any":
			return {};
	}
}

function withoutUndefined(json: Json): Json {
	return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined));
}
