/** What is kept of a session beside its record, and goes when that goes. */
import type { SessionChronicles } from "../chronicles/session-chronicles.ts";
import type { SessionEventRecords } from "../raw-events/session-event-records.ts";
import type { IdempotencyRecords } from "../commands/idempotency-records.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { SessionHistory } from "./session-history.ts";

export interface RemainsParts {
	readonly history: SessionHistory;
	readonly chronicles: SessionChronicles;
	readonly events: SessionEventRecords;
	readonly idempotency: IdempotencyRecords;
}

export class SessionRemains {
	readonly #parts: RemainsParts;

	constructor(parts: RemainsParts) {
		this.#parts = parts;
	}

	/** Leaves nothing of a session but its chronicles, unless these are to go, too. */
	async clear(document: SessionDocument): Promise<void> {
		await this.forget(document.id, document.farewell);
		await this.#parts.kept.completeCreationOf(document.id);
	}

	/** @param farewell `remove`: the chronicles go, too. */
	async forget(session: string, farewell: string | undefined): Promise<void> {
		const { history, chronicles, events } = this.#parts;
		await history.remove(session);
		await events.removeAll(session);
		await chronicles.sessionDeleted(session, farewell === "remove" ? "remove" : "keep");
	}
}
