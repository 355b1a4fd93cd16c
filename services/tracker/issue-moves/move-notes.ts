/** Reads from events of the log which issue may have to move. Pure. */
import type { LogEntry } from "#shared/contracts/event-log.ts";
import type { MoveEvent } from "#shared/contracts/tracker/issues.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";

/** Something that happened to a session at which a mapping may move its issue. */
export interface MoveOccasion {
	/** The id of the move that it leads to. */
	readonly id: string;
	readonly event: MoveEvent;
	readonly tenant: string;
	readonly owner: string;
	readonly session: string;
	readonly repo: string;
	/** The session's issue; undefined when the event does not say. */
	readonly issue: string | undefined;
	/** The time at which the launch was asked for, or the merge. */
	readonly at: number;
}

type Data = Readonly<Record<string, unknown>>;
type About = Pick<MoveOccasion, "tenant" | "owner" | "at">;

/** Returns the occasion that an event is; undefined for others. */
export function occasionOf({ type, data, tenant, owner, at }: LogEntry): MoveOccasion | undefined {
	if (owner === undefined) return undefined;
	const about = { tenant, owner, at };
	if (type === "session_updated" && data.includes('"running"')) return startOf(dataOf(data), about);
	return type === "pr_merged" ? mergeOf(dataOf(data), about) : undefined;
}

/** Returns the session that an event says is deleted. */
export function deletedSession({ type, data }: LogEntry): string | undefined {
	return type === "session_deleted" ? textOf(dataOf(data), "id") : undefined;
}

/** A session moves an issue once at its start, however often it is started, so that no restart takes work back. */
function startOf(data: Data, { tenant, owner, at }: About): MoveOccasion | undefined {
	const [session, repo, issue] = [textOf(data, "id"), textOf(data, "repo"), textOf(data, "tracker_issue_id")];
	if (data["status"] !== "running" || session === undefined || repo === undefined || issue === undefined)
		return undefined;
	const id = nameBasedUuid("issue-move", "start", tenant, session, issue);
	return { id, event: "start", tenant, owner, session, repo, issue, at: requestedAt(data) ?? at };
}

function mergeOf(data: Data, { tenant, owner, at }: About): MoveOccasion | undefined {
	const [session, repo] = [textOf(data, "session_id"), textOf(data, "repo_url")];
	if (session === undefined || repo === undefined) return undefined;
	const id = nameBasedUuid("issue-move", "merge", tenant, session, String(data["pr_number"]));
	return { id, event: "merge", tenant, owner, session, repo, issue: undefined, at };
}

/** Returns the time at which the present launch of a session was asked for. */
function requestedAt({ timings }: Data): number | undefined {
	const requested = typeof timings === "object" && timings && "requested" in timings ? timings.requested : undefined;
	return typeof requested === "string" ? Date.parse(requested) : undefined;
}

function dataOf(text: string): Data {
	const value: unknown = JSON.parse(text);
	return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Returns a member that is a text and not empty. */
function textOf(data: Data, name: string): string | undefined {
	const value = data[name];
	return typeof value === "string" && value !== "" ? value : undefined;
}
