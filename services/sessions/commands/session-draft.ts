/** Makes the document of a new session. Pure except for the time. */
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { isoTime } from "#shared/base/clock.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Session, SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { microsOf } from "#shared/wire/models/money.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { GitSource } from "../workspace-sources/session-source.ts";
import { enter } from "../record/session-change.ts";
import type { Blueprints } from "./launch-levels/merged-request.ts";
import type { LocalSource } from "../workspace-sources/local-sources.ts";
import { shownRepositories } from "../record/session-update.ts";
import { sessionWarnings } from "./session-warnings.ts";

export interface SessionDraft {
	readonly id: string;
	readonly principal: Principal;
	readonly request: SessionCreate;
	readonly source: GitSource | LocalSource;
	readonly launch: LaunchSettings;
	/** The time of creation in milliseconds since 1970. */
	readonly at: number;
	/** The blueprints that it was made from; default none. */
	readonly blueprints?: Blueprints | undefined;
	readonly agent?: WrittenAgent | undefined;
	/** Warnings of what was found out before; default: none. */
	readonly warnings?: readonly string[] | undefined;
	/** The limit of its cost in US dollars when the request names none; default no limit. */
	readonly sessionLimit?: number | undefined;
	/** The workspace that it continues to use; default one of its own. */
	readonly workspace?: string | undefined;
	/** The first status; default `starting`. */
	readonly status?: "starting" | "created";
}

/**
 * Returns the document. With the status `starting`, the first launch is due at once; with `created`, no launch is
 * requested.
 */
export function newSession(draft: SessionDraft): SessionDocument {
	const { id, principal, launch, at, status = "starting" } = draft;
	const { members, columns } = enter(status, at);
	const limit = limitOf(draft);
	const session: Session = { ...blankSession(draft), ...members };
	return {
		id,
		wire: JSON.stringify(session),
		...columns.set,
		tenant: principal.tenant,
		owner: principal.id,
		name: session.name,
		created_at: session.created_at,
		rev: session.rev,
		generation: session.generation,
		fence: 0,
		attempts: 0,
		...(status === "starting" && { due_at: at }),
		launch,
		workspace: draft.workspace ?? id,
		...(limit !== null && { limit_micros: microsOf(limit), committed_micros: 0 }),
	};
}

/** Returns the session without the members that depend on its status. */
function blankSession(draft: SessionDraft): Session {
	const { id, principal, request, source, launch, at, status = "starting", blueprints = {} } = draft;
	const time = isoTime(at);
	return {
		id,
		name: request.name,
		model: launch.model,
		agent: launch.agent,
		source,
		...placeOf(source),
		...namesOf(request, blueprints),
		repositories: shownRepositories(launch),
		...shownResources(launch),
		status,
		status_reason: null,
		activity_state: null,
		activity_metadata: {},
		chat_endpoint: null,
		code_endpoint: null,
		pod_name: null,
		error: null,
		created_at: time,
		updated_at: time,
		last_active: time,
		archived_at: null,
		message_count: 0,
		tokens_used: 0,
		tracker_issue_id: request.issue_id ?? null,
		issue_tracker_url: request.issue_url ?? null,
		task_type: request.task_type ?? null,
		workload_type: request.workload_type ?? null,
		owner_id: principal.id,
		tenant_id: principal.tenant,
		generation: status === "starting" ? 1 : 0,
		rev: 1,
		timings: { requested: time },
		warnings: [...(draft.warnings ?? []), ...sessionWarnings(request, launch, draft.agent, blueprints)],
		budget: { limit: limitOf(draft), spent: 0, reserved: 0, paused: false, reason: null },
	};
}

/** Returns the names of the blueprints; the profile is the named one, or else the default one. */
function namesOf(
	{ template_name = null, preset_id = null }: SessionCreate,
	{ profile, defaultProfile }: Blueprints,
): Pick<Session, "template_name" | "preset_id" | "profile_name"> {
	return { template_name, preset_id, profile_name: (profile ?? defaultProfile)?.name ?? null };
}

/** Returns the copies of the source's members, which are empty for folders of the host. */
function placeOf({ repo = "", branch = "" }: GitSource | LocalSource): Pick<Session, "repo" | "branch"> {
	return { repo, branch };
}

/** Returns what a session shows of the resources of its launches. */
export function shownResources({ resource_config = {}, terminal_restricted = false }: LaunchSettings) {
	return { resource_config, terminal_restricted } satisfies Partial<Session>;
}

function limitOf({ request, sessionLimit }: SessionDraft): number | null {
	return request.budget ? request.budget.limit : (sessionLimit ?? null);
}
