/**
 * The contract of templates: read-only blueprints of sessions. Callers who do not administer the platform see `***`
 * instead of values of variables and headers.
 */
import { defineContract } from "./contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "./page-fields.ts";
import { nullableText, text, textMap } from "./field-rules.ts";

const freeForm = { type: "record", key: text, value: { type: "any" }, default: {} } as const;

export const template = schema({
	name: { type: "string", min: 1, max: 255 },
	description: { ...text, default: "" },
	repos: {
		type: "array",
		items: {
			type: "object",
			props: { url: { ...text, default: "" }, branch: { ...text, default: "" }, path: { ...text, default: "" } },
		},
		default: [],
	},
	setup_scripts: { type: "array", items: text, default: [] },
	workspace_layout: freeForm,
	is_default: { type: "boolean", default: false },
	workload_type: { ...text, default: "session" },
	model: { ...nullableText, optional: true },
	system_prompt: { ...nullableText, optional: true },
	resource_config: freeForm,
	mcp_servers: { type: "array", items: { type: "record", key: text, value: { type: "any" } }, default: [] },
	env_vars: { ...textMap, default: {} },
	env_secret_refs: { type: "array", items: text, default: [] },
	workload_config: freeForm,
	session_definition: { ...nullableText, optional: true },
});
export type Template = Output<typeof template>;

const templateRecord = { type: "object", props: template } as const;

export const templates = defineContract("templates", {
	list: {
		rest: "GET /templates",
		summary: "List templates, sorted by name; follow `Link` until there is none",
		params: {
			workload_type: { type: "string", max: 100, optional: true },
			...pageParams,
		},
		...pageOf(templateRecord),
	},
	get: {
		rest: "GET /templates/:name",
		summary: "One template",
		params: { name: { type: "string", min: 1, max: 255 } },
		returns: templateRecord,
		errors: [404],
	},
	whole: {
		access: "system",
		summary: "One template without masked values, which only operators see",
		params: { name: { type: "string", min: 1, max: 255 } },
		returns: templateRecord,
		idempotent: true,
	},
});
