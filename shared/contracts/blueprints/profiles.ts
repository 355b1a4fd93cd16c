/**
 * The contract of profiles: named runtime settings of one person, which sessions are started with. Nobody else sees them
 * (decision 0039).
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { promptBodies } from "../sessions/sessions.ts";
import { blueprintName, changesOf, groupName, launchFields, newLaunchFields } from "./blueprint-fields.ts";
import { text } from "../field-rules.ts";

const workloadType = { ...groupName, min: 1, description: "`session`, `reviewer`, …" } as const;

export const profile = schema({ name: blueprintName, workload_type: workloadType, ...launchFields });
export type Profile = Output<typeof profile>;

export const profileCreate = schema({
	name: blueprintName,
	workload_type: { ...workloadType, default: "session" },
	...newLaunchFields,
	is_default: { ...newLaunchFields.is_default, description: "At most one per `workload_type`" },
});
export type ProfileCreate = Output<typeof profileCreate>;

/** The members of a change. Absent and null members leave the stored values unchanged. */
export const profileUpdate = changesOf(profile);
export type ProfileUpdate = Output<typeof profileUpdate>;

/** The name in paths has another name than the member, because a change may rename the profile. */
const path = { profile_name: { type: "string", min: 1, max: 255 } } as const;
const record = { type: "object", props: profile } as const;

export const profiles = defineContract("profiles", {
	list: {
		rest: "GET /profiles",
		summary: "The caller's profiles, by name",
		params: { workload_type: { type: "string", max: 255, optional: true }, ...pageParams },
		...pageOf(record),
		errors: [400],
	},
	create: {
		rest: "POST /profiles",
		summary: "Create a profile",
		example: { name: "small", resource_config: { memory: "2Gi" } },
		status: 201,
		params: profileCreate,
		returns: record,
		errors: [400, 409, 503],
		max_body: promptBodies,
	},
	get: {
		rest: "GET /profiles/:profile_name",
		summary: "One profile of the caller",
		params: path,
		returns: record,
		errors: [404],
	},
	update: {
		rest: "PUT /profiles/:profile_name",
		summary: "Change or rename a profile; absent and null members stay",
		params: { ...path, ...profileUpdate },
		returns: record,
		errors: [400, 404, 409, 503],
		max_body: promptBodies,
	},
	delete: {
		rest: "DELETE /profiles/:profile_name",
		summary: "Delete a profile; sessions that were launched with it keep its settings",
		params: path,
		errors: [404, 503],
	},
	of_launch: {
		access: "system",
		summary: "The profile of a launch: the named one of its owner, or the default one of a workload type",
		params: {
			tenant: { type: "string", max: 1_000 },
			owner: { type: "string", max: 1_000 },
			name: { type: "string", max: 255, optional: true },
			workload_type: { type: "string", max: 255 },
		},
		returns: {
			type: "object",
			props: {
				profile: { ...record, optional: true },
				names: { type: "array", items: text, optional: true, description: "At most 20, for a refusal" },
			},
		},
		idempotent: true,
	},
});
