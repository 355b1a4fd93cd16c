/**
 * Makes the id of a person from that of an identity provider. An id is one person in the whole installation, whose tokens
 * and memberships belong together; where a provider's ids are unique within a tenant only, the tenant becomes a part of it.
 */
import { schema, type Output } from "#shared/base/schema/schema.ts";

const maxLength = 255;

/** The argument about ids that identity adapters have in common. */
export const personIdOptions = schema({
	/** Whether one id is one person in all tenants of the provider, or in each of them another. */
	user_ids: { type: "enum", values: ["unique", "per-tenant"], default: "unique" },
});

/** Returns the id of a person; undefined without one, and for one that would be too long. */
export function personId(
	given: string | undefined,
	tenant: string | null | undefined,
	{ user_ids }: Output<typeof personIdOptions>,
): string | undefined {
	if (given === undefined || user_ids === "unique") return given;
	// An encoded tenant has no slash, so two people never get the same id.
	const id = `${encodeURIComponent((tenant ?? "").toWellFormed())}/${given}`;
	return id.length <= maxLength ? id : undefined;
}
