/**
 * The contract of admissions, which only the platform calls: in which tenant, and with which roles, a person acts whom an
 * identity provider has identified.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { tenantId, userId } from "./people-fields.ts";
import { count } from "../field-rules.ts";

const roles = { type: "array", max: 20, items: { type: "string", max: 100 } } as const;

/** Grows with every end and every renewal of a membership. */
const epoch = count;

/** A person as the identity provider describes them. */
export const identifiedPerson = schema({
	id: userId,
	email: { type: "string", max: 320, optional: true },
	name: { type: "string", max: 255, optional: true },
	tenant: {
		...tenantId,
		optional: true,
		nullable: true,
		description: "Absent: the provider names no tenants; null: it names tenants, but none for this person",
	},
	roles: { ...roles, optional: true, description: "Absent: the provider does not say; otherwise at least one of ours" },
	as_of: {
		type: "number",
		optional: true,
		description: "When the provider said so, in milliseconds since 1970; absent: with this request",
	},
});
export type IdentifiedPerson = Output<typeof identifiedPerson>;

const standing = schema({ tenant: { type: "string" }, roles, epoch: { ...epoch, optional: true } });
export type Standing = Output<typeof standing>;

export interface StoredStanding {
	readonly roles: readonly string[];
	/** Absent: an identity that stores no memberships. */
	readonly epoch?: number | undefined;
	/** The provider's newest word about the person, in milliseconds since 1970. */
	readonly confirmed_at?: number | undefined;
}

/** A person in a tenant, as sessions have stored them. */
const text = { type: "string", max: 1_000 } as const;
const place = { tenant: text, user_id: text } as const;

export const admissions = defineContract("admissions", {
	admit: {
		access: "system",
		summary: "The tenant and roles of an identified person, who becomes a user and a member with the first request",
		params: {
			...identifiedPerson,
			wanted: { ...tenantId, optional: true, description: "The tenant that the request names" },
		},
		returns: { type: "object", props: standing },
		idempotent: true,
	},
	standing: {
		access: "system",
		summary: "The roles of a person in a tenant as they are stored; null: no member, or a removed one",
		params: { user_id: userId, tenant: tenantId },
		returns: {
			type: "object",
			props: {
				roles: { ...roles, nullable: true },
				epoch: { ...epoch, optional: true },
				confirmed_at: { type: "number", optional: true },
			},
		},
		idempotent: true,
	},
	departed: {
		access: "system",
		summary: "Those of the people who are no member of the tenant any more, or whose tenant was deleted",
		params: { people: { type: "array", max: 500, items: { type: "object", props: place } } },
		returns: { type: "array", items: { type: "object", props: place } },
		idempotent: true,
	},
});
