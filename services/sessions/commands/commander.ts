/** Who commands, and the client's Idempotency-Key where it sent one. */
import type { Asker } from "../record/change-queue.ts";

export interface Commander extends Asker {
	readonly key?: string | undefined;
}
