/** The caller of a command, with the client's `Idempotency-Key` if it sent one. */
import type { Asker } from "../record/change-queue.ts";

export interface Commander extends Asker {
	readonly key?: string | undefined;
}
