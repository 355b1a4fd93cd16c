/** The forms that values of the chart have: how each is written into a template, and the JSON Schema by which Helm refuses others. */

/** A part of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface ValueForm {
	/** `block` stands in lines below its member, `text` in quotes. */
	readonly written: "block" | "text" | "plain";
	readonly schema: JsonSchema;
}

/** An amount as the API of a cluster reads it, such as `500m` or `2Gi`. */
const amount = {
	type: ["string", "number"],
	pattern: "^[0-9]+([.][0-9]+)?([munkMGTPE]|[KMGTPE]i|[eE][0-9]+)?$",
	minimum: 0,
} as const;
const amounts = { type: "object", additionalProperties: amount } as const;
const text = { type: "string", minLength: 1 } as const;
const network = { type: "string", pattern: "^[0-9a-fA-F.:]+/[0-9]{1,3}$" } as const;

function only(properties: Readonly<Record<string, unknown>>): JsonSchema {
	return { type: "object", additionalProperties: false, properties };
}

function block(schema: JsonSchema): ValueForm {
	return { written: "block", schema };
}

export const valueForms = {
	text: { written: "text", schema: text },
	amount: { written: "text", schema: amount },
	count: { written: "plain", schema: { type: "integer", minimum: 0 } },
	switch: { written: "plain", schema: { type: "boolean" } },
	amounts: block(amounts),
	resources: block(only({ requests: amounts, limits: amounts })),
	networks: block({ type: "array", items: network }),
	texts: block({ type: "object", additionalProperties: { type: "string" } }),
	secretNames: block({ type: "array", items: { ...only({ name: text }), required: ["name"] } }),
} as const satisfies Readonly<Record<string, ValueForm>>;
