/**
 * The principal of the single person of an installation. It is the same for all identity adapters, so that the person
 * keeps their sessions.
 */
import type { Principal } from "#shared/base/principal.ts";

export const theDeveloper: Principal = {
	kind: "user",
	id: "dev-user",
	tenant: "default",
	roles: ["admin", "developer"],
};
