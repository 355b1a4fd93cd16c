/**
 * The workspaces as users see and change them. Every method takes the principal first: workspaces that the principal
 * may not see do not exist for it.
 */
import type { NotingStore } from "#shared/store/audit/audited-store.ts";
import type { Principal } from "#shared/base/principal.ts";
import { monotonic, now, sleep } from "#shared/base/clock.ts";
import { isAllowed, relationTo } from "#shared/contracts/access/access-table.ts";
import { rolesWithin } from "#shared/contracts/access/admission.ts";
import type { WorkspaceStatus } from "#shared/contracts/workspaces/workspaces.ts";
import { ConflictError, NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";
import { deleted, restored } from "./workspace-changes.ts";
import { workspaceCollection, type WorkspaceDocument } from "./workspace-collection.ts";

interface WorkspaceQuery extends PageRequest {
	/** The owner; absent: the whole tenant. */
	readonly owner?: string | undefined;
	/** Default: active and archived. */
	readonly status?: WorkspaceStatus | undefined;
}

/** How long a deletion waits for the end of a pod, in milliseconds. */
const patienceMs = 4_000;
const pollMs = 50;

export class WorkspaceRecords {
	readonly #store: NotingStore;
	readonly #due: (id: string) => void;
	readonly #records: ResourcesIn<typeof workspaceCollection, Principal>;

	/** @param due Called when the files of a workspace are due for removal. */
	constructor(store: NotingStore, due: (id: string) => void) {
		this.#store = store;
		this.#due = due;
		this.#records = new ResourceRecords(store, {
			collection: workspaceCollection,
			noun: "Workspace",
			isAllowed: (principal: Principal, _action, workspace) => isThere(principal, workspace),
			isNoted: (principal: Principal, { tenant, owner }) =>
				relationTo(principal, { tenant, owner }) === "administrator",
			written: () => failpoint("workspaces.written"),
		});
	}

	/** Returns a page, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	page({ tenant }: Principal, { owner, status, ...page }: WorkspaceQuery): Promise<StoredPage> {
		const last = status === undefined ? "kept" : status;
		const equals = owner === undefined ? [tenant, last] : [tenant, owner, last];
		const index = `${owner === undefined ? "tenant" : "owner"}_${status === undefined ? "shelf" : "status"}` as const;
		return this.#records.list({ index, equals }, page);
	}

	/** Returns the text of a workspace. @param id Its id or that of its session. @throws {NotFoundError} */
	async text(principal: Principal, id: string): Promise<string> {
		return (await this.#find(principal, id)).wire;
	}

	/**
	 * Makes an archived workspace active; returns its text. @throws {NotFoundError}; {ConflictError} when it is not
	 * archived, unless the same key has restored it.
	 */
	async restore(principal: Principal, id: string, key?: string): Promise<string> {
		const read = () => this.#find(principal, id);
		const { wire } = await this.#records.change(read, (found) => {
			if (key !== undefined && found.status === "active" && found.restore_key === key) return undefined;
			if (found.status === "archived") return restored(found, key);
			throw new ConflictError(`Cannot restore a workspace that is ${found.status}`, "WORKSPACE_STATUS");
		});
		return wire;
	}

	/**
	 * Deletes a workspace; its files are removed soon. Waits a little for a pod that is ending.
	 * @throws {NotFoundError}; {ConflictError} while its session runs.
	 */
	async delete(principal: Principal, id: string, end = monotonic() + patienceMs): Promise<void> {
		const { id: own } = await this.#find(principal, id);
		for (;;) {
			const outcome = await this.#deleteOnce(principal, own);
			if (outcome === "done") return;
			if (monotonic() > end) throw ending(own);
			await sleep(pollMs);
		}
	}

	/** Deletes workspaces one after the other; resolves to the ones that remain, with the reasons. */
	async deleteAll(principal: Principal, ids: readonly string[]): Promise<{ deleted: number; failed: BulkFailure[] }> {
		const end = monotonic() + patienceMs;
		const failed: BulkFailure[] = [];
		for (const id of ids) {
			try {
				await this.delete(principal, id, end);
			} catch (error) {
				if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
				failed.push({ session_id: id, error: error.message });
			}
		}
		return { deleted: ids.length - failed.length, failed };
	}

	/**
	 * Deletes the workspace if no pod can use it. The session is read after the workspace: a launch since then has
	 * changed the workspace, so this write loses the race against it.
	 */
	async #deleteOnce(principal: Principal, id: string): Promise<"done" | "waits"> {
		const found = await this.#find(principal, id);
		const session = found.holder === undefined ? undefined : await this.#store.get(sessionCollection, found.holder);
		if (session && session.desired === "run") throw inUse(found, session);
		// A session without a due pass has no pod. One that was never stored will find its workspace gone.
		if (session && session.due_at !== undefined) return "waits";
		const written = await this.#records.write(found, deleted(found, now()));
		if (!written) return "waits";
		failpoint("workspaces.deleted");
		this.#due(id);
		return "done";
	}

	/** Finds a workspace that is not deleted by its id or by that of its session. @throws {NotFoundError} */
	async #find(principal: Principal, id: string): Promise<WorkspaceDocument> {
		const own = await this.#records.find(principal, id);
		if (own) return own;
		const newest = { limit: 8, descending: true, columns: [] };
		const { documents } = await this.#store.find(workspaceCollection, "by_session", { equals: [id] }, newest);
		for (const one of documents) {
			const found = await this.#records.find(principal, one.id);
			if (found) return found;
		}
		throw this.#records.notFound(id);
	}
}

/** A workspace of a bulk deletion that remains. */
interface BulkFailure {
	readonly session_id: string;
	readonly error: string;
}

/** Whether the workspace exists for the principal: for its owner and the administrators of its tenant. */
function isThere(principal: Principal, { status, tenant, owner }: WorkspaceDocument): boolean {
	const isPerson = principal.kind === "user" || principal.kind === "pat";
	return isPerson && status !== "deleted" && isAllowed(principal, "see", "workspace", { tenant, owner });
}

/** Returns the owner whose workspaces an action of the principal's own covers. */
export function ownOnly(principal: Principal): Principal {
	return { ...principal, roles: rolesWithin(principal.roles, "write") };
}

function inUse({ id }: WorkspaceDocument, session: SessionDocument): ConflictError {
	const message = `Cannot delete workspace "${id}": session "${session.id}" is ${session.status} in it; stop it first`;
	return new ConflictError(message, "WORKSPACE_IN_USE");
}

function ending(id: string): ConflictError {
	return new ConflictError(`Cannot delete workspace "${id}" yet: its session is ending, try again`, "WORKSPACE_BUSY");
}
