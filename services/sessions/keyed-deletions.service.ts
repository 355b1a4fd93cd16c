/** Wires the notes of keyed deletions to the bus; they are idempotency records. */
import type { ServiceSchema } from "moleculer";
import type { Principal } from "#shared/base/principal.ts";
import { implement } from "#shared/bus/service.ts";
import { keyedDeletions, type KeyedDeletion } from "#shared/contracts/gateway/keyed-deletions.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { type IdempotencyRecords, ownerOf } from "./commands/idempotency-records.ts";

export function keyedDeletionsService(records: Pick<IdempotencyRecords, "note" | "forget">): ServiceSchema {
	return {
		name: keyedDeletions.name,
		actions: implement(keyedDeletions, {
			note: async (deletion, principal) => ({ is_repeated: await records.note(recordOf(deletion, principal)) }),
			forget: (deletion, principal) => records.forget(recordOf(deletion, principal)),
		}),
	};
}

function recordOf({ action, key, fingerprint }: KeyedDeletion, principal: Principal) {
	const { tenant, id } = principal;
	return { id: nameBasedUuid(tenant, id, action, key), owner: ownerOf(principal), fingerprint };
}
