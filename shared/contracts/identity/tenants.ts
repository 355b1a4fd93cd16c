/** The contract of tenants: a tree, and the members of each. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { provisioningResult, tenantId, tenantRoles, userId } from "./people-fields.ts";
import { absentOrNull, nullableText, nullableTime, text } from "../field-rules.ts";

const tenantTiers = ["developer", "team", "enterprise"] as const;

/** Roles as requests may name them: clients of the original put the product before each. */
const givenRoles = [...tenantRoles, "volundr:admin", "volundr:developer", "volundr:viewer"] as const;

const tier = { type: "enum", values: tenantTiers } as const;
const quota = { type: "number", integer: true, min: 1, max: 1_000_000_000 } as const;

export const tenant = schema({
	id: tenantId,
	path: { type: "string", description: "Ids from the root to the tenant, joined by dots" },
	name: text,
	parent_id: nullableText,
	tier,
	max_sessions: quota,
	max_storage_gb: quota,
	created_at: nullableTime,
});
export type Tenant = Output<typeof tenant>;

export const tenantCreate = schema({
	name: { type: "string", min: 1, max: 255 },
	tenant_id: {
		...tenantId,
		...absentOrNull,
		description: "Default: eight random hexadecimal digits; only administrators of the default tenant choose it",
	},
	parent_id: { ...tenantId, ...absentOrNull },
	tier: { ...tier, default: "developer" },
	max_sessions: { ...quota, default: 5 },
	max_storage_gb: { ...quota, default: 50 },
});
export type TenantCreate = Output<typeof tenantCreate>;

/** Absent and null members stay. */
export const tenantUpdate = schema({
	max_sessions: { ...quota, ...absentOrNull },
	max_storage_gb: { ...quota, ...absentOrNull },
	tier: { ...tier, ...absentOrNull },
});
export type TenantUpdate = Output<typeof tenantUpdate>;

export const member = schema({
	user_id: userId,
	tenant_id: tenantId,
	role: text,
	granted_at: nullableTime,
});
export type Member = Output<typeof member>;

const tenantPath = { tenant_id: tenantId } as const;
const one = { type: "object", props: tenant } as const;

export const tenants = defineContract("tenants", {
	list: {
		rest: "GET /tenants",
		summary: "The tenants that the caller may see, by path",
		params: { parent_id: { ...tenantId, optional: true }, ...pageParams },
		...pageOf(one),
		errors: [400],
	},
	create: {
		rest: "POST /tenants",
		access: "admin",
		summary: "Create a tenant",
		example: { name: "Research" },
		status: 201,
		params: tenantCreate,
		returns: one,
		errors: [404, 409],
	},
	get: {
		rest: "GET /tenants/:tenant_id",
		summary: "One tenant",
		params: tenantPath,
		returns: one,
		errors: [404],
	},
	update: {
		rest: "PUT /tenants/:tenant_id",
		access: "admin",
		summary: "Change quotas or tier; absent and null members stay",
		params: { ...tenantPath, ...tenantUpdate },
		returns: one,
		errors: [404, 503],
	},
	delete: {
		rest: "DELETE /tenants/:tenant_id",
		access: "admin",
		summary: "Delete a tenant without tenants below it; its members lose access",
		params: tenantPath,
		errors: [404, 409, 503],
	},
	list_members: {
		rest: "GET /tenants/:tenant_id/members",
		summary: "Members, newest first",
		params: { ...tenantPath, ...pageParams },
		...pageOf({ type: "object", props: member }),
		errors: [400, 404],
	},
	add_member: {
		rest: "POST /tenants/:tenant_id/members",
		access: "admin",
		summary: "Add a member, or change the role of one",
		example: { user_id: "ada" },
		status: 201,
		params: { ...tenantPath, user_id: userId, role: { type: "enum", values: givenRoles, default: "developer" } },
		returns: { type: "object", props: member },
		errors: [404, 409, 503],
	},
	remove_member: {
		rest: "DELETE /tenants/:tenant_id/members/:user_id",
		access: "admin",
		summary: "Remove a member, who loses access within 10 s",
		params: { ...tenantPath, user_id: userId },
		errors: [404, 409, 503],
	},
	reprovision: {
		rest: "POST /tenants/:tenant_id/reprovision",
		access: "admin",
		summary: "Provision all members of a tenant again",
		status: 202,
		params: tenantPath,
		returns: { type: "array", items: { type: "object", props: provisioningResult } },
		errors: [404],
	},
});
