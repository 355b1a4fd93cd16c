/** A session in hand, and the changes a command or an observation makes of it. Pure. */
import { isoTime } from "#shared/clock.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import { cutToJsonBytes } from "#shared/pod/answer-size.ts";
import type { Change, Guard } from "#shared/store/document-store.ts";
import type { sessionCollection, SessionDocument } from "./session-collection.ts";
import { deadlinesMs, desiredOf, shelfOf, type StoredStatus } from "./session-lifecycle.ts";
import { hasChat } from "./chat-endpoint.ts";
import { reasonFor } from "./status-reason.ts";

/** Of a failure, as JSON. It stands twice in the session, and so in its events and lists. */
const maxSentenceBytes = 4_096;

type SessionColumns = (typeof sessionCollection)["columns"];
export type ColumnChange = Pick<Change<SessionColumns>, "set" | "unset">;
export type EventName = "session_created" | "session_updated" | "session_deleted" | "session_activity";

export interface SessionRecord {
	readonly session: Session;
	readonly document: SessionDocument;
}

/** What becomes of a record: the members clients see, the columns, and the event that tells of it. */
export interface SessionChange {
	/** When it happened, in milliseconds. */
	readonly at: number;
	readonly members: Partial<Session>;
	readonly columns: ColumnChange;
	readonly event: EventName;
	/** Payload of the event; default the session after the change. */
	readonly payload?: unknown;
	/** What must fit a limit for the change to happen. */
	readonly fits?: NonNullable<Guard<SessionColumns>["fits"]>;
}

export function recordOf(document: SessionDocument): SessionRecord {
	return { document, session: JSON.parse(document.wire) as Session };
}

export function statusOf({ document }: SessionRecord): StoredStatus {
	return document.status as StoredStatus;
}

/** What every entry into a status changes; `failure` is why, when it is `failed`. */
export function enter(
	status: StoredStatus,
	at: number,
	failure?: { code: string; message: string },
): { members: Partial<Session>; columns: ColumnChange } {
	const limit = deadlinesMs[status];
	// A launch that nobody has claimed yet cannot be late: its clock starts with the first claim.
	const told = shortened(failure);
	const deadline = limit === undefined || status === "starting" ? undefined : at + limit;
	return {
		members: {
			...(status !== "deleted" && { status }),
			status_reason: reasonFor(status, at, told),
			archived_at: status === "archived" ? isoTime(at) : null,
			...(!hasChat(status) && { chat_endpoint: null }),
			...(told && { error: told.message }),
			...(desiredOf(status) === "stop" && { activity_state: null, activity_metadata: {} }),
		},
		columns: {
			set: {
				status,
				shelf: shelfOf(status),
				desired: desiredOf(status),
				...(deadline !== undefined && { deadline_at: deadline }),
			},
			unset: deadline === undefined ? ["deadline_at"] : [],
		},
	};
}

function shortened(failure: { code: string; message: string } | undefined): typeof failure {
	return failure && { code: failure.code, message: cutToJsonBytes(failure.message, maxSentenceBytes) };
}

/** Two column changes as one; the second wins. */
export function both(first: ColumnChange, second: ColumnChange): ColumnChange {
	const set = { ...first.set, ...second.set };
	const unset = [...(first.unset ?? []), ...(second.unset ?? [])].filter((column) => !(column in set));
	return { set, unset };
}
