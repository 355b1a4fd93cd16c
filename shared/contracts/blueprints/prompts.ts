/** The contract of saved prompts: texts that people use again and again, with `{{name}}` where the caller fills in. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf } from "../page-fields.ts";
import { promptBodies } from "../sessions/sessions.ts";
import { absentOrNull, time } from "../field-rules.ts";

export const promptScopes = ["global", "project"] as const;
export type PromptScope = (typeof promptScopes)[number];

const name = { type: "string", min: 1, max: 255 } as const;
/** The bound of a session's `system_prompt` and `initial_prompt`, which are what a prompt is for. */
const content = { type: "string", min: 1, max: 100_000, description: "`{{name}}` is filled by the caller" } as const;
const scope = { type: "enum", values: promptScopes } as const;
const projectRepo = { type: "string", max: 500, ...absentOrNull } as const;
const tags = { type: "array", max: 50, items: { type: "string", min: 1, max: 100 } } as const;

export const prompt = schema({
	id: { type: "uuid" },
	name,
	content,
	scope,
	project_repo: { type: "string", nullable: true, description: "Repository of scope `project`; null: global" },
	tags,
	created_at: time,
	updated_at: time,
});
export type Prompt = Output<typeof prompt>;

export const promptCreate = schema({
	name,
	content,
	scope: { ...scope, default: "global", description: "`project` needs `project_repo`" },
	project_repo: projectRepo,
	tags: { ...tags, default: [] },
});
export type PromptCreate = Output<typeof promptCreate>;

/** The members of a change. Absent and null members leave the stored values unchanged. */
export const promptUpdate = schema({
	name: { ...name, ...absentOrNull },
	content: { ...content, ...absentOrNull },
	scope: { ...scope, ...absentOrNull },
	project_repo: projectRepo,
	tags: { ...tags, ...absentOrNull },
});
export type PromptUpdate = Output<typeof promptUpdate>;

const promptId = { id: { type: "uuid" } } as const;
const record = { type: "object", props: prompt } as const;
const position = {
	limit: { type: "number", integer: true, min: 1, max: 500, default: 500 },
	cursor: { type: "string", max: 300, optional: true, description: "From the `Link` header of the page before" },
} as const;
export const prompts = defineContract("prompts", {
	list: {
		rest: "GET /prompts",
		summary: "Saved prompts of the caller's tenant, last updated first",
		params: {
			scope: { ...scope, optional: true },
			repo: {
				type: "string",
				min: 1,
				max: 500,
				optional: true,
				description: "Only global prompts and those of this repository",
			},
			...position,
		},
		...pageOf(record),
		errors: [400],
	},
	search: {
		rest: "GET /prompts/search",
		summary: "Prompts whose name or content contains a text, hits in the name first",
		params: {
			q: { type: "string", min: 1, max: 150, description: "Upper and lower case count alike; no wildcards" },
			...position,
		},
		...pageOf(record),
		errors: [400],
	},
	create: {
		rest: "POST /prompts",
		summary: "Save a prompt",
		example: { name: "Review", content: "Review the changes since {{branch}}." },
		status: 201,
		params: promptCreate,
		returns: record,
		max_body: promptBodies,
	},
	update: {
		rest: "PUT /prompts/:id",
		summary: "Change a prompt, as its creator; absent and null members stay",
		params: { ...promptId, ...promptUpdate },
		returns: record,
		errors: [404, 503],
		max_body: promptBodies,
	},
	delete: {
		rest: "DELETE /prompts/:id",
		summary: "Delete a prompt, as its creator or an administrator",
		params: promptId,
		errors: [404],
	},
});
