/**
 * Keeps sessions and their workspaces in agreement. The record of the workspace is the lock: its `holder` is the one
 * session that may run in it. A session takes it when it is created, makes sure of it at each launch, and gives it up
 * only when its pod is gone; each step may be repeated after a crash (decision 0043).
 */
import type { Failure } from "#shared/contracts/sessions/status-reasons.ts";
import { now } from "#shared/base/clock.ts";
import { ConflictError, UnprocessableError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { tooFast } from "#shared/store/compare-and-set.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { Lifecycle } from "#shared/store/port/lifecycle.ts";
import { repeatLostRaces } from "#shared/store/lost-races.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { StoredStatus } from "../record/session-lifecycle.ts";
import {
	archived,
	deleted,
	held,
	isOfOwner,
	launched,
	newWorkspace,
	sourceOf,
	used,
	viewOf,
	type WorkspaceChange,
	workspaceOf,
	type WorkspaceSource,
} from "./workspace-changes.ts";
import { workspaceCollection, type WorkspaceDocument } from "./workspace-collection.ts";
import type { WorkspaceQuota } from "./workspace-quota.ts";

/**
 * The outcome of a launch's claim to its workspace: the workspace, the other host that it is on, or the reason why the
 * session cannot run.
 */
type Hold = { readonly workspace: string } | { readonly elsewhere: string } | { readonly failure: Failure };

/** The statuses of a session that keeps its workspace while it rests. */
const resting = new Set<StoredStatus>(["created", "stopped", "failed"]);

/** The workspaces of sessions, as the platform itself changes them. */
export class SessionWorkspaces {
	readonly #records: ResourcesIn<typeof workspaceCollection>;
	readonly #isShared: boolean;
	readonly #quota: WorkspaceQuota;
	readonly #due: (id: string) => void;

	/** @param due Called when the files of a workspace are due for removal. */
	constructor(store: Documents & Pick<Lifecycle, "isShared">, quota: WorkspaceQuota, due: (id: string) => void) {
		this.#records = new ResourceRecords(store, { collection: workspaceCollection, noun: "Workspace" });
		this.#isShared = store.isShared;
		this.#quota = quota;
		this.#due = due;
	}

	/**
	 * Returns the source of a workspace that the principal names for a new session.
	 * @throws {UnprocessableError} when it is unknown or belongs to somebody else.
	 */
	async offered({ tenant, id: owner }: Principal, id: string): Promise<WorkspaceSource> {
		const found = await this.#records.stored(id);
		if (!found || found.status === "deleted" || found.tenant !== tenant || found.owner !== owner) throw unknown(id);
		return sourceOf(found);
	}

	/**
	 * Whether the session may be stored in the same turn as its workspace: that is a new one, no quota can refuse it, and a
	 * store of one process commits the writes of a turn together.
	 */
	isJoined(session: SessionDocument): boolean {
		return workspaceOf(session) === session.id && this.#quota.isUnlimited && !this.#isShared;
	}

	/**
	 * Gives a session that is about to be stored its workspace: a new one, or the one that it names.
	 * @throws {ConflictError} when another session has it, or the owner's quota is used up; {UnprocessableError} when
	 * it does not exist (any more).
	 */
	async reserve(session: SessionDocument): Promise<void> {
		const id = workspaceOf(session);
		if (id === session.id) {
			const document = newWorkspace(id, session, now());
			await this.#quota.add(document, () => this.#records.insert(document));
		} else await this.#take(id, session);
		failpoint("workspaces.reserved");
	}

	/**
	 * Gives a session that is about to start another workspace if its own one was deleted; resolves to the id, which the
	 * start has to store. @throws {ConflictError} when the owner's quota is used up.
	 */
	async replaceDeleted(session: SessionDocument): Promise<string | undefined> {
		const found = await this.#records.stored(workspaceOf(session));
		if (found && found.status !== "deleted") return undefined;
		const at = now();
		const document = newWorkspace(timeBasedUuid(at), session, at);
		await this.#quota.add(document, () => this.#records.insert(document));
		failpoint("workspaces.replaced");
		return document.id;
	}

	/**
	 * Makes sure of the workspace for a pass that may start a pod. A deleted one is replaced by a new one.
	 * @param host The host of the pass, on which the workspace is from now on; absent: it is on none.
	 * @param isAlone Whether there is no other host, so that what was on one is lost.
	 */
	async hold(session: SessionDocument, host?: string, isAlone = false): Promise<Hold> {
		const id = workspaceOf(session);
		const isLaunch = session.claimed_at === undefined;
		const attempt = async (): Promise<Hold | undefined> => {
			const found = await this.#records.stored(id);
			if (!found || found.status === "deleted") return { workspace: await this.#renew(session, host) };
			if (!isOfOwner(found, session) || isOfOther(found, session)) return { failure: taken(found) };
			if (isElsewhere(found, host) && !isAlone) return { elsewhere: found.host };
			if (!isLaunch && isHeldHere(found, host)) return { workspace: id };
			return (await this.#records.write(found, launchedOn(host, launched(found, session, now())))) && { workspace: id };
		};
		const hold = await repeatLostRaces(attempt, { refusal: () => tooFast("The workspace") });
		failpoint("workspaces.held");
		return hold;
	}

	/** Brings the workspace of a session whose pod is gone into agreement with the session's status. */
	async settle(session: SessionDocument): Promise<void> {
		const status = session.status as StoredStatus;
		await this.#change(workspaceOf(session), (found) => {
			if (!isOfOwner(found, session)) return undefined;
			const isOurs = found.holder === session.id;
			if (status === "archived") return isOurs ? archived(found, session, now()) : undefined;
			if (!resting.has(status)) return undefined;
			if (isOurs) return found.launched === 1 ? used(found, session, now()) : undefined;
			const wasOurs = found.holder === undefined && found.session === session.id;
			return wasOurs ? held(found, session, now(), false) : undefined;
		});
		failpoint("workspaces.settled");
	}

	/**
	 * Gives up the workspace of a session that is being removed: its files are removed if the deletion said so or if
	 * there are none; otherwise they wait for another session.
	 */
	async release(session: SessionDocument): Promise<void> {
		const id = workspaceOf(session);
		const isRemoved = session.storage_policy === "remove";
		const changed = await this.#change(id, (found) => {
			if (!isOfOwner(found, session) || isOfOther(found, session) || found.session !== session.id) return undefined;
			if (isRemoved || isUnused(found)) return deleted(found, now());
			return found.holder === session.id ? archived(found, session, now()) : undefined;
		});
		failpoint("workspaces.released");
		if (changed?.status === "deleted") this.#due(id);
	}

	/** Gives up a workspace whose holder was never stored, or has got another workspace since. */
	async abandon(id: string, holder: string): Promise<void> {
		const changed = await this.#change(id, (found) => {
			if (found.holder !== holder) return undefined;
			return isUnused(found) ? deleted(found, now()) : archived(found, undefined, now());
		});
		if (changed?.status === "deleted") this.#due(id);
	}

	async #take(id: string, session: SessionDocument): Promise<void> {
		await this.#records.change(
			async () => {
				const found = await this.#records.stored(id);
				if (!found || found.status === "deleted" || !isOfOwner(found, session)) throw unknown(id);
				return found;
			},
			(found) => {
				if (isOfOther(found, session)) throw new ConflictError(taken(found).message, "WORKSPACE_IN_USE");
				return found.holder === session.id ? undefined : held(found, session, now(), true);
			},
		);
	}

	/** Makes a workspace in the place of one that is gone. Ids are never used again, so a late removal finds nothing. */
	async #renew(session: SessionDocument, host?: string): Promise<string> {
		const at = now();
		const id = timeBasedUuid(at);
		const document = newWorkspace(id, session, at);
		const { wire = document.wire, set } = launched(document, session, at);
		// The session names it with its lease; otherwise the check of its holder removes it.
		await this.#records.insert({ ...document, ...set, ...(host && { host }), wire });
		return id;
	}

	/** Changes a workspace if there is one that is not deleted; resolves to the newest form of that one. */
	#change(id: string, decide: (found: WorkspaceDocument) => WorkspaceChange | undefined) {
		const read = async () => {
			const found = await this.#records.stored(id);
			return found?.status === "deleted" ? undefined : found;
		};
		return this.#records.change(read, decide);
	}
}

/** Whether the files are on another host than this one, which is absent when the pods are on no host. */
function isElsewhere(
	found: WorkspaceDocument,
	host: string | undefined,
): found is WorkspaceDocument & { host: string } {
	return host !== undefined && found.host !== undefined && found.host !== host;
}

/** Returns the change of a launch with the host on which the files are from now on. */
function launchedOn(host: string | undefined, { set, ...change }: WorkspaceChange): WorkspaceChange {
	return { ...change, set: { ...set, ...(host !== undefined && { host }) } };
}

/** Whether a session has the workspace, and this host its files. @param host Absent: the pods are on no host. */
function isHeldHere({ holder, host: bound }: WorkspaceDocument, host: string | undefined): boolean {
	return holder !== undefined && (host === undefined || bound === host);
}

function isOfOther({ holder }: WorkspaceDocument, session: SessionDocument): boolean {
	return holder !== undefined && holder !== session.id;
}

/** Whether no pod has ever used it, so that it has no files. */
function isUnused(document: WorkspaceDocument): boolean {
	return viewOf(document).last_used_at === null && document.launched === undefined;
}

function taken({ id, holder }: WorkspaceDocument): Failure {
	const message = `Workspace "${id}" belongs to session "${holder}" now: archive or delete that session first, or use another workspace`;
	return { code: "WORKSPACE_IN_USE", message };
}

function unknown(id: string): UnprocessableError {
	return new UnprocessableError(`Workspace "${id}" does not exist`, "WORKSPACE_UNKNOWN");
}
