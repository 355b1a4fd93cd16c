/** The contract of mappings: which project of which tracker belongs to a repository, and how its issues move. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { projectId, stateName } from "./issue-fields.ts";
import { absentOrNull, text, time } from "../field-rules.ts";

const repoUrl = { type: "string", trim: true, min: 1, max: 500 } as const;
const trackerName = {
	type: "string",
	min: 1,
	max: 100,
	description: "Slug or adapter of the integration; null: each person's first tracker",
} as const;
const connection = { type: "string", min: 1, max: 100, description: "A connection of its creator" } as const;
const target = (event: string) => ({ ...stateName, description: `State for the session's issue ${event}; null: none` });
const onStart = target("when the session runs for the first time");
const onMerge = target("when its pull request is merged");

export const mapping = schema({
	id: { type: "uuid" },
	repo_url: text,
	project_id: text,
	project_name: text,
	tracker: { ...trackerName, nullable: true },
	connection_id: { ...connection, nullable: true },
	on_start: { ...onStart, nullable: true },
	on_merge: { ...onMerge, nullable: true },
	created_at: time,
});
export type Mapping = Output<typeof mapping>;

export const mappingCreate = schema({
	repo_url: { ...repoUrl, description: "Any of its URLs; compared without protocol and `.git`" },
	project_id: projectId,
	project_name: { type: "string", max: 255, default: "" },
	tracker: { ...trackerName, ...absentOrNull },
	connection_id: { ...connection, ...absentOrNull },
	on_start: { ...onStart, ...absentOrNull },
	on_merge: { ...onMerge, ...absentOrNull },
});
export type MappingCreate = Output<typeof mappingCreate>;

const record = { type: "object", props: mapping } as const;

export const mappings = defineContract("mappings", {
	list: {
		rest: "GET /tracker/mappings",
		summary: "Mappings of the caller's tenant, newest first",
		params: pageParams,
		...pageOf(record),
		errors: [400],
	},
	create: {
		rest: "POST /tracker/mappings",
		summary: "Map a repository to a project, for the caller's sessions, or by an administrator for the tenant's",
		example: { repo_url: "https://github.com/expressjs/express", project_id: "10000" },
		status: 201,
		params: mappingCreate,
		returns: record,
		errors: [409, 503],
	},
	delete: {
		rest: "DELETE /tracker/mappings/:id",
		summary: "Delete a mapping, as its creator or an administrator",
		params: { id: { type: "uuid" } },
		errors: [404],
	},
});
