/** The record of a workspace, and its changes. Pure; each returns what one compare-and-set writes. */
import { isoTime } from "#shared/base/clock.ts";
import type { Session, SessionSource } from "#shared/contracts/sessions/session-resource.ts";
import { lastingReasons, type MeasuredSession } from "#shared/contracts/workspaces/workspace-work.ts";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import type { LaunchSettings, Repository } from "#shared/wire/pod/launch.ts";
import type { Change } from "#shared/store/port/documents.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { WorkspaceColumns, WorkspaceDocument } from "./workspace-collection.ts";

export type WorkspaceChange = Change<WorkspaceColumns>;

/** How long after a creation it is checked whether the session exists, in milliseconds. */
const checkMs = 60_000;
/** The first measurement comes this long after a launch, in milliseconds, when the clone is usually there. */
const firstMeasureMs = 60_000;
/** The interval of measurements while a session runs, or while one may become whole, in milliseconds. */
const measureEveryMs = 600_000;

/** The unit of `size_gb`. */
const gibibyte = 2 ** 30;

/** The source of a workspace's files. */
export interface WorkspaceSource {
	readonly source: SessionSource;
	readonly repositories: readonly Repository[];
}

export function viewOf({ wire }: WorkspaceDocument): WorkspaceView {
	return JSON.parse(wire) as WorkspaceView;
}

export function sourceOf({ source, repositories }: WorkspaceDocument): WorkspaceSource {
	return { source: source as SessionSource, repositories: (repositories ?? []) as Repository[] };
}

/** Returns the id of a session's workspace. Its own one has the session's id. */
export function workspaceOf({ id, workspace = id }: SessionDocument): string {
	return workspace;
}

export function isOfOwner({ tenant, owner }: WorkspaceDocument, session: SessionDocument): boolean {
	return tenant === session.tenant && owner === session.owner;
}

/** Returns the workspace of a new session, which holds it. */
export function newWorkspace(id: string, session: SessionDocument, at: number): WorkspaceDocument {
	const { name, source } = JSON.parse(session.wire) as Session;
	const { repositories = [] } = (session.launch ?? {}) as Partial<LaunchSettings>;
	const { tenant = "", owner = "" } = session;
	const view: WorkspaceView = {
		id,
		session_id: session.id,
		user_id: owner,
		tenant_id: tenant,
		pvc_name: `workspace-${id}`,
		status: "active",
		size_gb: 0,
		created_at: isoTime(at),
		archived_at: null,
		deleted_at: null,
		session_name: name,
		source_url: source.repo || null,
		source_ref: source.branch || null,
		size_bytes: null,
		size_is_partial: false,
		measured_at: null,
		last_used_at: null,
	};
	return {
		id,
		wire: JSON.stringify(view),
		tenant,
		owner,
		shelf: "kept",
		status: "active",
		created_at: view.created_at,
		rev: 1,
		holder: session.id,
		session: session.id,
		source,
		repositories,
		fence: 0,
		check_at: at + checkMs,
	};
}

/** Returns the change by which a session becomes the holder. @param isNew Whether the session may not be stored yet. */
export function held(
	document: WorkspaceDocument,
	session: SessionDocument,
	at: number,
	isNew: boolean,
): WorkspaceChange {
	const { name } = JSON.parse(session.wire) as Session;
	const members = { status: "active", session_id: session.id, session_name: name, archived_at: null } as const;
	const found = foundSource(document, session);
	const check = isNew ? { check_at: at + checkMs } : {};
	const set = { holder: session.id, session: session.id, ...found?.set, ...check };
	return shown(document, { ...members, ...found?.members }, { set, unset: ["restore_key"] });
}

/** Returns the change by the launch of the holder's pod. It also makes a concurrent deletion lose its race. */
export function launched(document: WorkspaceDocument, session: SessionDocument, at: number): WorkspaceChange {
	const { wire, set, unset = [] } = held(document, session, at, false);
	const used = { ...(JSON.parse(wire ?? "") as WorkspaceView), last_used_at: isoTime(at) };
	return {
		wire: JSON.stringify(used),
		set: { ...set, launched: 1, measure_at: at + firstMeasureMs },
		unset: [...unset, "check_at"],
	};
}

/** Returns the change by the end of the holder's pod: its files are measured soon. */
export function used(document: WorkspaceDocument, session: SessionDocument, at: number): WorkspaceChange {
	const found = foundSource(document, session);
	const members = { last_used_at: isoTime(at), ...found?.members };
	return shown(document, members, { set: { measure_at: at, ...found?.set }, unset: ["launched"] });
}

/** Returns the change by which it belongs to no session any more and waits for the next one. */
export function archived(
	document: WorkspaceDocument,
	session: SessionDocument | undefined,
	at: number,
): WorkspaceChange {
	const archived_at = isoTime(at);
	const last = document.launched === 1 ? { last_used_at: archived_at } : {};
	const found = session && foundSource(document, session);
	return shown(
		document,
		{ status: "archived", archived_at, ...last, ...found?.members },
		{
			set: { ...found?.set, ...(document.launched === 1 && { measure_at: at }) },
			unset: ["holder", "launched", "check_at"],
		},
	);
}

/** Returns the change by which an archived one becomes active. */
export function restored(document: WorkspaceDocument, key: string | undefined): WorkspaceChange {
	const mark = key === undefined ? { unset: ["restore_key"] as const } : { set: { restore_key: key } };
	return shown(document, { status: "active", archived_at: null }, mark);
}

/** Returns the change after which nobody can use it, and its files are removed. */
export function deleted(document: WorkspaceDocument, at: number): WorkspaceChange {
	return shown(
		document,
		{ status: "deleted", deleted_at: isoTime(at) },
		{
			set: { shelf: "deleted", due_at: at },
			unset: ["holder", "launched", "archived_at", "measure_at", "check_at", "restore_key"],
		},
	);
}

/**
 * Returns the change by a measurement. Another one follows while a session runs, and also when this one was not whole and the next
 * one may be.
 */
export function measured(
	document: WorkspaceDocument,
	{ bytes, partial }: Pick<MeasuredSession, "bytes" | "partial">,
	at: number,
): WorkspaceChange {
	const size_gb = Math.ceil(bytes / gibibyte);
	const members = { size_bytes: bytes, size_gb, size_is_partial: partial !== undefined, measured_at: isoTime(at) };
	const isRepeated = partial !== undefined && !lastingReasons.has(partial);
	const isMore = document.launched === 1 || isRepeated;
	return shown(document, members, {
		set: { size_bytes: bytes, ...(partial && { partial }), ...(isMore && { measure_at: at + measureEveryMs }) },
		unset: [...(partial ? [] : (["partial"] as const)), ...(isMore ? [] : (["measure_at"] as const))],
	});
}

/**
 * Returns the source of the session that has it, when the workspace does not know its branches yet: the first clone
 * finds out which ones they are.
 */
function foundSource(
	{ repositories }: WorkspaceDocument,
	session: SessionDocument,
): { members: Partial<WorkspaceView>; set: NonNullable<WorkspaceChange["set"]> } | undefined {
	const isOpen = ((repositories ?? []) as Repository[]).some(({ url, branch }) => url !== "" && branch === "");
	if (!isOpen || session.launch === undefined) return undefined;
	const { source } = JSON.parse(session.wire) as Session;
	const { repositories: found } = session.launch as LaunchSettings;
	return { members: { source_ref: source.branch || null }, set: { source, repositories: found } };
}

/** Returns the change with what clients see; the columns of the status and of the time of archiving follow it. */
function shown(
	document: WorkspaceDocument,
	members: Partial<WorkspaceView>,
	{ set, unset = [] }: Pick<WorkspaceChange, "set" | "unset">,
): WorkspaceChange {
	const { status, archived_at } = members;
	const wire = JSON.stringify({ ...viewOf(document), ...members });
	const columns = { ...(status && { status }), ...(archived_at && { archived_at }) };
	return {
		wire,
		set: { ...columns, ...set, rev: (document.rev ?? 0) + 1 },
		unset: [...unset, ...(archived_at === null ? (["archived_at"] as const) : [])],
	};
}
