/** The tenant that a request names, for people who are members of several. */
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "#shared/base/principal.ts";
import { ForbiddenError } from "#shared/base/errors.ts";

/** The header with the id of a tenant, in UTF-8. */
const tenantHeader = "atelier-tenant";

/** Returns the tenant that the headers name; undefined for none. */
export function namedTenant({ [tenantHeader]: value }: IncomingHttpHeaders): string | undefined {
	if (typeof value !== "string" || value === "") return undefined;
	return Buffer.from(value, "latin1").toString().slice(0, 100);
}

/** Refuses a caller who has one tenant only, when the request names another. @throws {ForbiddenError} */
export function refuseOtherTenant({ tenant, kind }: Principal, wanted: string | undefined): void {
	if (wanted === undefined || kind === "pod" || wanted === tenant) return;
	throw new ForbiddenError(`This credential is not for the tenant "${wanted}" that the request names`, "NOT_A_MEMBER");
}
