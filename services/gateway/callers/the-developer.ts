/** The one person of an installation that has one; the same by whatever identity, so that their sessions stay theirs. */
import type { Principal } from "#shared/bus/principal.ts";

export const theDeveloper: Principal = {
	kind: "user",
	id: "dev-user",
	tenant: "default",
	roles: ["admin", "developer"],
};
