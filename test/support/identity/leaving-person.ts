/** An identity adapter with one person, alice, who may leave while a request of hers is under way. */
import type { Principal } from "#shared/base/principal.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };

/** Whether alice is there; the tests of one process share it. */
export const presence = { isThere: true };

export class LeavingPerson {
	readonly trustsCallers = true;

	async authenticate(): Promise<Principal | undefined> {
		return presence.isThere ? alice : undefined;
	}
}
