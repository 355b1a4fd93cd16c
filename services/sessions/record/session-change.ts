/** The record of a session, and its changes by commands and observations. Pure. */
import { isoTime } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Failure } from "#shared/contracts/sessions/status-reasons.ts";
import { cutToJsonBytes } from "#shared/base/answer-size.ts";
import type { Change, Guard } from "#shared/store/port/documents.ts";
import type { sessionCollection, SessionDocument } from "./session-collection.ts";
import { deadlinesMs, desiredOf, shelfOf, type StoredStatus } from "./session-lifecycle.ts";
import { reasonFor } from "./status-reason.ts";

/** The most bytes of a failure's sentence as JSON. It appears twice in the session and therefore in its events and lists. */
const maxSentenceBytes = 4_096;

type SessionColumns = (typeof sessionCollection)["columns"];
export type ColumnChange = Pick<Change<SessionColumns>, "set" | "unset">;
type EventName = "session_created" | "session_updated" | "session_deleted" | "session_activity";

/** A session as it was read. */
export interface SessionRecord {
	readonly session: Session;
	readonly document: SessionDocument;
}

/** A change of a record: the members that clients see, the columns, and its event. */
export interface SessionChange {
	/** The time of the change in milliseconds since 1970. */
	readonly at: number;
	readonly members: Partial<Session>;
	readonly columns: ColumnChange;
	/** Default `session_updated`. */
	readonly event?: EventName;
	/** The payload of the event; default: the session after the change. */
	readonly payload?: unknown;
	/** The limit that must hold for the change to happen. */
	readonly fits?: NonNullable<Guard<SessionColumns>["fits"]>;
}

export function recordOf(document: SessionDocument): SessionRecord {
	return { document, session: JSON.parse(document.wire) as Session };
}

export function statusOf({ document }: SessionRecord): StoredStatus {
	return document.status as StoredStatus;
}

/** Returns the change of entering a status; `failure` is the reason of the status `failed`, `limit` its time limit. */
export function enter(
	status: StoredStatus,
	at: number,
	failure?: { code: string; message: string },
	limit = deadlinesMs[status],
): { members: Partial<Session>; columns: ColumnChange } {
	const shown = failure && { code: failure.code, message: cutToJsonBytes(failure.message, maxSentenceBytes) };
	const deadline = deadlineOf(status, at, limit);
	return {
		members: {
			...(status !== "deleted" && { status }),
			status_reason: reasonFor(status, at, shown, limit),
			archived_at: status === "archived" ? isoTime(at) : null,
			...(shown && { error: shown.message }),
			...(desiredOf(status) !== "run" && { activity_state: null, activity_metadata: {} }),
		},
		columns: {
			set: {
				status,
				shelf: shelfOf(status),
				desired: desiredOf(status),
				...(deadline !== undefined && { deadline_at: deadline }),
				...(status === "starting" && { requested_at: at }),
			},
			unset: deadline === undefined ? ["deadline_at"] : [],
		},
	};
}

/** Returns the change of a session that cannot run for a reason other than its pods. */
export function failedChange(failure: Failure, at: number): SessionChange {
	return { at, ...enter("failed", at, failure) };
}

/** An unclaimed launch cannot be late: its time begins with the first claim. */
function deadlineOf(status: StoredStatus, at: number, limit: number | undefined): number | undefined {
	return limit === undefined || status === "starting" ? undefined : at + limit;
}

/** Merges two column changes; the second one has precedence. */
export function both(first: ColumnChange, second: ColumnChange): ColumnChange {
	const set = { ...first.set, ...second.set };
	const unset = [...(first.unset ?? []), ...(second.unset ?? [])].filter((column) => !(column in set));
	return { set, unset };
}
