/** The fields that the contracts of people and tenants share. */
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { texts } from "../field-rules.ts";

/** The id of a person: the subject of their tokens, which may have any characters. */
export const userId = { type: "string", min: 1, max: 255 } as const;
/** The id of a tenant: the value of a claim, which may have any characters. */
export const tenantId = { type: "string", min: 1, max: 100 } as const;

/** The roles that the platform knows, from the strongest. Other names of roles mean nothing to it. */
export const tenantRoles = ["admin", "developer", "viewer"] as const;
export type TenantRole = (typeof tenantRoles)[number];

export const provisioningResult = schema({
	success: { type: "boolean" },
	user_id: userId,
	home_pvc: { type: "string", nullable: true, description: "Claim of the home volume; null: there is none" },
	errors: texts,
});
export type ProvisioningResult = Output<typeof provisioningResult>;
