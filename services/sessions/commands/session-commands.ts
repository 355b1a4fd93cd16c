/** The commands on a session. Each is one compare-and-set, and none waits for a pod. */
import { jsonText, type JsonText } from "#shared/base/schema/json-text.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Session, SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { Profile } from "#shared/contracts/blueprints/profiles.ts";
import type { NeededFiles } from "#shared/wire/launch/host-files.ts";
import type { LaunchSettings, LocalMount } from "#shared/wire/pod/launch.ts";
import { answeredBefore, type CommandAnswer, commandMark, rememberAnswer } from "./command-answers.ts";
import type { Commander } from "./commander.ts";
import { launchSettings, refuseLargeLaunch } from "./launch-settings.ts";
import { refuseMisplaced } from "./misplaced-settings.ts";
import { type Blueprints, mergedRequest, type MergedRequest } from "./launch-levels/merged-request.ts";
import { launchWithProfile, storedLevels, type StoredLevels } from "./launch-levels/profile-change.ts";
import { newSession, shownResources } from "./session-draft.ts";
import { both, type ColumnChange, enter, type SessionChange, type SessionRecord } from "../record/session-change.ts";
import { type Command, mayStart, next } from "../record/session-lifecycle.ts";
import { refuseForeignCommand } from "./session-rights.ts";
import type { RunningLimits } from "../record/running-limits.ts";
import type { SessionCreations } from "./session-creations.ts";
import type { SessionDecision, SessionRecords } from "../record/session-records.ts";
import type { SessionRules } from "./session-rules.ts";
import { refuseMissingRepository } from "./launch-levels/missing-repository.ts";
import { type GitSource, resolveSource } from "../workspace-sources/session-source.ts";
import type { LocalSource } from "../workspace-sources/local-sources.ts";
import { continuedLaunch, continuedRequest } from "./launch-levels/continued-workspace.ts";
import type { SessionWorkspaces } from "../workspaces/session-workspaces.ts";
import type { WorkspaceSource } from "../workspaces/workspace-changes.ts";
import { startInWorkspace } from "../workspaces/workspace-of-start.ts";

/** The request for a new session, with the blueprints that it names. */
interface NamedRequest {
	readonly request: SessionCreate;
	readonly blueprints?: Blueprints;
	/** Warnings of what was found out about the request before. */
	readonly warnings?: readonly string[];
	/** Those of the named credentials that are the tenant's; default none. */
	readonly tenantCredentials?: readonly string[];
	/** The source of the workspace that the request names. */
	readonly workspace?: WorkspaceSource | undefined;
	/** Refuses the session by its repositories and folders, before it is stored. */
	readonly check?: (launch: NeededFiles) => Promise<void>;
}

interface CommandOptions {
	readonly columns?: ColumnChange;
	/** The profile of this and the following launches, in the place of the former one. */
	readonly profile?: Profile | undefined;
}

interface SessionCommandsDependencies {
	readonly records: SessionRecords;
	readonly creations: SessionCreations;
	readonly rules: SessionRules;
	readonly running: RunningLimits;
	readonly workspaces: SessionWorkspaces;
	/** Called when a session needs a pass. */
	readonly due: (id: string) => void;
}

export class SessionCommands {
	readonly #dependencies: SessionCommandsDependencies;

	constructor(dependencies: SessionCommandsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Creates a session; resolves to it.
	 * @throws {UnprocessableError} when the repository, branch or model cannot be used, or the key was used for another
	 * request.
	 */
	async create(commander: Commander, named: NamedRequest): Promise<JsonText> {
		const { request: asked, blueprints = {}, workspace, tenantCredentials, warnings, check } = named;
		refuseMisplaced(asked);
		const { protocols, sessionLimit, setupMinutes, models, agents } = this.#dependencies.rules;
		const { principal, deadline } = commander;
		const merged = mergedRequest(models.named(asked), models.namedIn(blueprints));
		const { request, level } = merged;
		const where = workspace ? continuedRequest(asked, workspace) : merged;
		const { source, mounts } = await this.#sourceOf(principal, where);
		if (source.type === "git" && !workspace) refuseMissingRepository(asked, source.repo, warnings);
		const context = { protocols, tenantCredentials };
		const own = { ...launchSettings(request, source, level, context), ...(mounts && { mounts }) };
		const launch = { ...(workspace ? continuedLaunch(own, workspace) : own), setup_minutes: setupMinutes };
		models.refuseUnknown(launch.model);
		const agent = agents.get(launch.agent);
		const settings = { principal, request, source, launch, agent, sessionLimit, blueprints, warnings };
		const { id, wire } = await this.#dependencies.creations.create(commander, {
			action: "create",
			params: asked,
			make: (id, at) => ({
				...newSession({ id, at, ...settings, workspace: asked.workspace_id ?? undefined }),
				levels: storedLevels(merged),
			}),
			admit: async (insert) => {
				await check?.(launch);
				return this.#dependencies.running.launch({ tenant: principal.tenant, owner: principal.id, deadline }, insert);
			},
		});
		this.#dependencies.due(id);
		return jsonText(wire);
	}

	/** @throws {UnprocessableError} when the repository, branch or folder cannot be used. */
	async #sourceOf(
		principal: Principal,
		{ request, level }: Pick<MergedRequest, "request" | "level">,
	): Promise<{ source: GitSource | LocalSource; mounts?: LocalMount[] }> {
		const { protocols, locals } = this.#dependencies.rules;
		if (request.source?.type === "local_mount") return locals.check(principal, request.source);
		return { source: resolveSource(request, level, protocols) };
	}

	/**
	 * Runs a command; resolves to the session after it.
	 * @throws {ConflictError} when the command is not allowed in the session's status; {NotFoundError};
	 * {UnprocessableError} for the start of a session whose model is no longer in the catalogue, or with a profile that
	 * cannot be used; {ForbiddenError} for a command that only the owner may give.
	 */
	async run(commander: Commander, command: Command, id: string, options: CommandOptions = {}): Promise<Session> {
		const { principal, key, deadline } = commander;
		const { models } = this.#dependencies.rules;
		const { columns = {} } = options;
		const profile = options.profile && models.named(options.profile);
		const mark = commandMark(command, { principal, key }, { id, ...(profile && { profile_name: profile.name }) });
		const decideIn =
			(place: ColumnChange) =>
			(record: SessionRecord): SessionDecision<Session | undefined> => {
				refuseForeignCommand(principal, record.session, command);
				const former = answeredBefore(record, mark);
				if (former) return { result: former };
				const change = withProfile(record, commandChange(record, command, now()), profile);
				const launch = (change.columns.set?.launch ?? record.document.launch) as LaunchSettings;
				if (command === "start") models.refuseUnknown(launch.model);
				const timed = command === "start" ? this.#timed(launch) : {};
				const withColumns = { ...change, columns: [timed, columns, place].reduce(both, change.columns) };
				// The final answer waits for the pod (session-stops.ts).
				const provisional = command === "stop";
				const answered = mark && { ...mark, ...(provisional && { provisional }) };
				return { change: answered ? remembered(record, withColumns, answered) : withColumns, result: undefined };
			};
		const run = (place: ColumnChange = {}) =>
			this.#dependencies.records.decide(principal, id, decideIn(place), { deadline });
		const { record, result: repeated } = await (command === "start" ? this.#started(commander, id, run) : run());
		if (repeated) return repeated;
		this.#dependencies.due(id);
		return record.session;
	}

	/** Returns the change by which a new launch has the time of the present configuration. */
	#timed(launch: LaunchSettings): ColumnChange {
		return { set: { launch: { ...launch, setup_minutes: this.#dependencies.rules.setupMinutes } } };
	}

	/**
	 * Runs a start within the limits and the quota of the session's owner. One that starts or runs already takes no
	 * further place.
	 */
	async #started<T extends { readonly record: SessionRecord }>(
		{ principal, deadline }: Commander,
		id: string,
		start: (place?: ColumnChange) => Promise<T>,
	): Promise<T> {
		const { session, document } = await this.#dependencies.records.get(principal, id);
		if (!mayStart(session.status)) return start();
		const { tenant_id, owner_id } = session;
		const launcher = { tenant: tenant_id ?? "", owner: owner_id ?? undefined, deadline };
		return this.#dependencies.running.launch(launcher, () =>
			startInWorkspace(this.#dependencies.workspaces, document, start),
		);
	}
}

/** Returns the change of a session by a command. Pure. @throws {ConflictError} */
export function commandChange({ session, document }: SessionRecord, command: Command, at: number): SessionChange {
	const status = next(session.status, command);
	const entered = enter(status, at);
	const due: ColumnChange = { set: { due_at: Math.max(at, document.lease_until ?? 0), attempts: 0 } };
	return {
		at,
		members: { ...entered.members, ...extraMembers(session, command, at) },
		columns: both(both(entered.columns, due), command === "start" ? nextLaunch(session) : {}),
		...(command === "delete" && { event: "session_deleted", payload: { id: session.id } }),
	};
}

/** Returns the change with the settings of a profile. @throws {UnprocessableError} when they cannot be used. */
function withProfile({ document }: SessionRecord, change: SessionChange, profile: Profile | undefined): SessionChange {
	if (!profile) return change;
	const levels = document.levels as StoredLevels | undefined;
	const launch = launchWithProfile(document.launch as LaunchSettings, levels, profile);
	refuseLargeLaunch(launch);
	const { model, agent } = launch;
	const set = { launch, ...(levels && { levels: { ...levels, model } }) };
	return {
		...change,
		members: { ...change.members, model, agent, ...shownResources(launch), profile_name: profile.name },
		columns: both(change.columns, { set }),
	};
}

function extraMembers(session: Session, command: Command, at: number): Partial<Session> {
	if (command === "start") {
		return { generation: session.generation + 1, timings: { requested: isoTime(at) }, error: null, pod_name: null };
	}
	return command === "archive" ? { pod_name: null } : {};
}

function nextLaunch({ generation }: Session): ColumnChange {
	return { set: { generation: generation + 1 }, unset: ["claimed_at", "address", "waiting_reported"] };
}

/** Returns the change with its answer stored for a repeated command. The answer is the session after the change. */
export function remembered(
	record: SessionRecord,
	change: SessionChange,
	mark: Omit<CommandAnswer, "answer">,
): SessionChange {
	const { session, document } = record;
	const answer: Session = { ...session, ...change.members, rev: session.rev + 1, updated_at: isoTime(change.at) };
	const answers = rememberAnswer(document.answers, { ...mark, answer });
	return { ...change, columns: both(change.columns, { set: { answers } }) };
}
