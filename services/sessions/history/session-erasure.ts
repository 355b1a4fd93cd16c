/** Erases everything that the store has of a session beside its record. */
import type { SessionChronicles } from "../chronicles/session-chronicles.ts";
import type { SessionEventRecords } from "../raw-events/session-event-records.ts";
import type { IdempotencyRecords } from "../commands/idempotency-records.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { SessionWorkspaces } from "../workspaces/session-workspaces.ts";
import type { SessionHistory } from "./session-history.ts";

interface SessionErasureDependencies {
	readonly history: SessionHistory;
	readonly chronicles: SessionChronicles;
	readonly events: SessionEventRecords;
	readonly idempotency: IdempotencyRecords;
	readonly workspaces: SessionWorkspaces;
}

/** The erasure of sessions; it may be repeated after a crash. */
export class SessionErasure {
	readonly #dependencies: SessionErasureDependencies;

	constructor(dependencies: SessionErasureDependencies) {
		this.#dependencies = dependencies;
	}

	/** Erases everything but the record itself, and prevents commands from creating the session again. */
	async erase(document: SessionDocument): Promise<void> {
		await this.eraseContents(document.id, document.chronicle_policy);
		await this.#dependencies.workspaces.release(document);
		await this.#dependencies.idempotency.completeCreationOf(document.id);
	}

	/** Erases the contents. @param policy `remove` erases the chronicles too; by default they are retained. */
	async eraseContents(session: string, policy: string | undefined): Promise<void> {
		const { history, chronicles, events } = this.#dependencies;
		await history.remove(session);
		await events.removeAll(session);
		await chronicles.sessionDeleted(session, policy === "remove" ? "remove" : "keep");
	}
}
