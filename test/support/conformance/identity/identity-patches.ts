/** Where users, tenants and members mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";

export const identityPatches: readonly Patch[] = [
	{
		operation: "listUsers, listTenants, listMembers",
		contract: "unbounded",
		ours: "`limit` (default 500), `cursor`, headers `Link` and `ETag`",
		apply(edit) {
			edit.addPages("listUsers", "listTenants", "listMembers");
			edit.addValidation("listUsers");
		},
	},
	{
		operation: "listUsers, tenant operations",
		contract: "an administrator sees and changes all tenants",
		ours: "administrators of the default tenant do; others their own tenant and those below it, everything else is 404",
	},
	{
		operation: "listMembers, reprovisionUser, reprovisionTenant",
		contract: "an empty list, or `success: false`, for an unknown one",
		ours: "404",
		apply(edit) {
			for (const id of ["listMembers", "reprovisionUser", "reprovisionTenant"])
				edit.addError(id, "404", "There is none with this id");
		},
	},
	{
		operation: "getMe, addMember, listMembers",
		contract: "roles are `volundr:admin`, `volundr:developer`, `volundr:viewer`",
		ours: "answers have `admin`, `developer`, `viewer` (or `tenants.role_prefix` before them); requests may have either",
		apply(edit) {
			edit.properties("MemberResponse")["role"] = { enum: ["admin", "developer", "viewer"] };
		},
	},
	{
		operation: "addMember, removeMember, deleteTenant",
		contract: "–",
		ours: "409 for the last administrator, the default tenant, and a tenant with others below it",
		apply(edit) {
			for (const id of ["addMember", "removeMember", "deleteTenant"]) edit.addError(id, "409", "It must remain");
		},
	},
	{
		operation: "updateTenant",
		contract: "422 without a body; any number",
		ours: "no body counts as `{}`; quotas are at least 1",
		apply: (edit) => edit.makeBodyOptional("updateTenant"),
	},
];
