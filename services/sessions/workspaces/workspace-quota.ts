/** The quota of workspaces per user, checked when a session with a new workspace is created. */
import { personKey } from "#shared/base/principal.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { ConflictError } from "#shared/base/errors.ts";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { viewOf } from "./workspace-changes.ts";
import { workspaceCollection, type WorkspaceDocument } from "./workspace-collection.ts";

/** The limits of one user; absent: none. */
export interface QuotaLimits {
	/** The most workspaces, active and archived. */
	readonly count?: number | undefined;
	/** The most GiB of all of them, as they were measured last. */
	readonly gib?: number | undefined;
}

const gibibyte = 2 ** 30;
const pageSize = 500;
/** The most workspaces whose sizes are summed. */
const maxSummed = 20_000;
/** The workspaces that a refusal names. */
const maxNamed = 3;

export class WorkspaceQuota {
	readonly #store: Documents;
	readonly #limits: QuotaLimits;
	readonly #turns = new KeyedQueues();

	constructor(store: Documents, limits: QuotaLimits) {
		this.#store = store;
		this.#limits = limits;
	}

	get isUnlimited(): boolean {
		return this.#limits.count === undefined && this.#limits.gib === undefined;
	}

	/**
	 * Adds a workspace if the quota of its owner has room for it. A repeated addition of the same one succeeds.
	 * @param insert Inserts it; false when it is stored already.
	 * @throws {ConflictError} that names workspaces which could be deleted.
	 */
	async add(document: WorkspaceDocument, insert: () => Promise<boolean>): Promise<void> {
		if (this.isUnlimited) return void (await insert());
		const { tenant = "", owner = "" } = document;
		await this.#turns.run(personKey(tenant, owner), async () => {
			if (await this.#exists(document)) return;
			await this.#refuseFull(document, { more: 1 });
			await insert();
			// Another process may have added one meanwhile; both then give way, so the quota is never exceeded.
			await this.#refuseFull(document, { more: 0 }).catch(async (error: unknown) => {
				await this.#store.remove(workspaceCollection, document.id, { equals: { rev: document.rev ?? 0 } });
				throw error;
			});
		});
	}

	async #exists({ id }: WorkspaceDocument): Promise<boolean> {
		return (await this.#store.get(workspaceCollection, id, [])) !== undefined;
	}

	/** @throws {ConflictError} */
	async #refuseFull({ id, tenant = "", owner = "" }: WorkspaceDocument, { more }: { more: 0 | 1 }): Promise<void> {
		const { count, gib } = this.#limits;
		const range = { equals: [tenant, owner, "kept"] };
		const number = await this.#store.count(workspaceCollection, "owner_shelf", range);
		if (count !== undefined && number + more > count) {
			throw await this.#refusal(range, id, `The quota of ${count} workspaces is used up`);
		}
		if (gib === undefined || more === 0) return;
		const { bytes, partial } = await this.#sizes(range);
		if (partial !== undefined) {
			const cause = `The quota of ${gib} GiB counts as used up, because the files of workspace "${partial}" could not all be measured`;
			throw await this.#refusal(range, id, cause);
		}
		if (bytes >= gib * gibibyte) {
			throw await this.#refusal(range, id, `The quota of ${gib} GiB is used up by ${sizeText(bytes)} of workspaces`);
		}
	}

	/** Returns the bytes of all workspaces, and one of which not all files could be counted. */
	async #sizes(range: { equals: string[] }): Promise<{ bytes: number; partial: string | undefined }> {
		let bytes = 0;
		let partial: string | undefined;
		const columns = ["size_bytes", "partial"] as const;
		const sizes = { ...range, limit: pageSize, pages: maxSummed / pageSize, columns };
		for await (const page of readPages(this.#store, workspaceCollection, "owner_shelf", sizes)) {
			bytes += page.reduce((sum, { size_bytes = 0 }) => sum + size_bytes, 0);
			partial ??= page.find((one) => one.partial !== undefined)?.id;
		}
		return { bytes, partial };
	}

	/** Names the oldest archived workspaces; without any, the oldest ones. */
	async #refusal({ equals }: { equals: string[] }, own: string, cause: string): Promise<ConflictError> {
		const [tenant = "", owner = ""] = equals;
		const page = { limit: maxNamed + 1 };
		const archived = { equals: [tenant, owner, "archived"] };
		const idle = await this.#store.find(workspaceCollection, "owner_status", archived, page);
		const { documents } =
			idle.documents.length > 0 ? idle : await this.#store.find(workspaceCollection, "owner_shelf", { equals }, page);
		const views = documents.map(viewOf).filter(({ id }) => id !== own);
		const named = views.slice(0, maxNamed);
		const advice = `delete some of them first (DELETE /workspaces/{id}), for example ${named.map(nameOf).join(", ")}`;
		const data = { workspaces: named.map(({ id }) => id) };
		return new ConflictError(`${cause}: ${advice}`, "WORKSPACE_QUOTA", data);
	}
}

function nameOf({ id, session_name, status, size_bytes, size_is_partial }: WorkspaceView): string {
	const size = size_bytes === null ? "" : `, ${size_is_partial ? "at least " : ""}${sizeText(size_bytes)}`;
	return `"${id}" of "${session_name}" (${status}${size})`;
}

function sizeText(bytes: number): string {
	return bytes >= gibibyte ? `${(bytes / gibibyte).toFixed(1)} GiB` : `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
