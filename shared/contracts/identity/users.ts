/** The contract of users: the caller, and the people whom an administrator may see. */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { provisioningResult, userId } from "./people-fields.ts";
import { nullableTime, text, texts } from "../field-rules.ts";

/** The states of a user; this version stores `active` only, because nothing of a user is prepared in advance. */
const userStatuses = ["provisioning", "active", "suspended", "failed"] as const;

export const user = schema({
	id: userId,
	email: { type: "string", description: "Empty when the identity provider names none" },
	display_name: text,
	status: { type: "enum", values: userStatuses },
	home_pvc: { type: "string", nullable: true, description: "Claim of the home volume; null: there is none" },
	created_at: nullableTime,
});
export type User = Output<typeof user>;

/** The caller as the platform sees them in this request. */
const me = schema({
	user_id: userId,
	email: text,
	tenant_id: text,
	roles: texts,
	display_name: text,
	status: { type: "enum", values: userStatuses },
});

export const users = defineContract("users", {
	me: {
		rest: "GET /me",
		summary: "The caller: tenant and roles of this request",
		params: {},
		returns: { type: "object", props: me },
		errors: [503],
	},
	list: {
		rest: "GET /users",
		access: "admin",
		summary: "Users, newest first: of the caller's tenant, or all of them for administrators of the default tenant",
		params: pageParams,
		...pageOf({ type: "object", props: user }),
		errors: [400],
	},
	reprovision: {
		rest: "POST /users/:user_id/reprovision",
		access: "admin",
		summary: "Provision a user again",
		status: 202,
		params: { user_id: userId },
		returns: { type: "object", props: provisioningResult },
		errors: [404],
	},
});
