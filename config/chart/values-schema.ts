/** Makes values.schema.json, with which Helm refuses values that are misspelt or of another form than the chart takes. */
import { toJsonSchema } from "#shared/base/schema/json-schema.ts";
import { configSchema } from "#shared/config/config-schema.ts";
import { type ChartValue, chartSwitches, chartValues, freeValues } from "./chart-values.ts";
import { type JsonSchema, valueForms } from "./value-forms.ts";

/** Variables of the environment, and files beside `atelier.yaml`, which is that of `config`. */
const free: Readonly<Record<keyof typeof freeValues, JsonSchema>> = {
	environment: {
		propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
		additionalProperties: { type: "string" },
	},
	configFiles: {
		propertyNames: { pattern: "^[-._a-zA-Z0-9]+$", not: { const: "atelier.yaml" } },
		additionalProperties: { type: "string", minLength: 1 },
	},
	config: closed(toJsonSchema(configSchema)),
};

/** Returns the schema of all values of the chart. */
export function valuesSchema(): JsonSchema {
	const root: Node = {};
	const switches = chartSwitches.map(({ name, comment }) => ({ name, comment, form: "switch" }) as const);
	for (const { name, comment, form = "text" } of [...chartValues, ...switches] satisfies readonly Described[])
		place(root, name.split("."), { ...valueForms[form].schema, description: comment });
	for (const [name, comment] of Object.entries(freeValues))
		root[name] = { type: "object", description: comment, ...free[name as keyof typeof freeValues] };
	// Helm itself adds it for charts that are parts of others.
	root["global"] = { type: "object" };
	return { $schema: "http://json-schema.org/draft-07/schema#", ...levelOf(root) };
}

type Described = Pick<ChartValue, "name" | "comment" | "form">;

/** A level of values.yaml: the schemas of its values, and further levels. */
interface Node {
	[name: string]: JsonSchema | Node;
}

function place(level: Node, [first = "", ...rest]: readonly string[], schema: JsonSchema): void {
	if (rest.length === 0) return void (level[first] = schema);
	const below = (level[first] ?? {}) as Node;
	level[first] = below;
	place(below, rest, schema);
}

/** A level has no `type` of its own until here. */
function levelOf(level: Node): JsonSchema {
	const properties = Object.entries(level).map(([name, part]) => [name, "type" in part ? part : levelOf(part as Node)]);
	return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) as JsonSchema };
}

/** Returns a schema whose objects have no other members than those that it names, all of which may be left out. */
function closed(value: unknown): JsonSchema {
	const { required: _required, default: _default, ...rest } = Object(value) as Record<string, unknown>;
	const parts = Object.entries(rest).map(([key, part]) => [key, closedPart(key, part)]);
	return {
		...(Object.fromEntries(parts) as JsonSchema),
		...("properties" in rest && { additionalProperties: false }),
	};
}

function closedPart(key: string, part: unknown): unknown {
	if (key === "properties")
		return Object.fromEntries(Object.entries(Object(part)).map(([name, one]) => [name, closed(one)]));
	if (key === "anyOf") return (part as readonly unknown[]).map(closed);
	return part instanceof Object && (key === "items" || key === "additionalProperties") ? closed(part) : part;
}
