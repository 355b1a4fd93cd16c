/** Makes stored sessions, for tests of rules that need no store. */
import { newSession, type SessionDraft } from "#services/sessions/commands/session-draft.ts";
import { withBudgetRules } from "#services/sessions/record/session-budget.ts";
import { recordOf, type SessionChange, type SessionRecord } from "#services/sessions/record/session-change.ts";
import type { SessionDocument } from "#services/sessions/record/session-collection.ts";
import type { StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import { type Session, type SessionCreate, sessionCreateFields } from "#shared/contracts/sessions/session-resource.ts";
import { alice } from "../bus/test-brokers.ts";
import { completed } from "../completed.ts";
import { launchSettings } from "../pods/memory-pods.ts";

/** The creation time of a test's session in milliseconds since 1970. */
export const createdAt = Date.parse("2026-01-01T00:00:00Z");

/** Makes a request for a session with all defaults of the contract. @throws {Error} when it violates the contract. */
export function sessionCreate(request: Partial<SessionCreate> = {}): SessionCreate {
	return completed(sessionCreateFields, { name: "a", ...request });
}

export function sessionDocument(order: Partial<SessionDraft> = {}): SessionDocument {
	return newSession({
		id: "6f1c0d52-0000-4000-8000-000000000001",
		principal: alice,
		request: sessionCreate(),
		source: { type: "git", repo: "", branch: "main", base_branch: "" },
		launch: launchSettings,
		at: createdAt,
		...order,
	});
}

export interface RecordOrder {
	/** The status; default `running`. */
	readonly status?: StoredStatus;
	readonly order?: Partial<SessionDraft>;
	readonly members?: Partial<Session>;
	readonly columns?: Partial<SessionDocument>;
}

/** Makes a record in any status, as if commands and observations had led to it. */
export function sessionRecord({ status = "running", order, members, columns }: RecordOrder = {}): SessionRecord {
	const document = sessionDocument(order);
	const { session } = recordOf(document);
	const changed = { ...session, ...(status !== "deleted" && { status }), ...members };
	return recordOf({ ...document, status, ...columns, wire: JSON.stringify(changed) });
}

/** Returns the record after a change, as `SessionRecords.change` would write it. */
export function changed(record: SessionRecord, change: SessionChange): SessionRecord {
	const merged = { ...record.session, ...change.members };
	const { session, columns } = withBudgetRules(merged, record, change);
	const document: SessionDocument = { ...record.document, ...columns.set };
	for (const column of columns.unset ?? []) delete document[column];
	return recordOf({ ...document, wire: JSON.stringify(session) });
}

/** Whether the store would accept the limit of the change. */
export function fits({ document }: SessionRecord, { fits: bound }: SessionChange): boolean {
	if (!bound) return true;
	const { committed_micros, limit_micros } = document;
	return (committed_micros ?? Infinity) + bound.plus <= (limit_micros ?? -Infinity);
}
