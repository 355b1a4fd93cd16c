/** Hands out work on the files of workspaces to the pod manager: removals, and one measurement at a time. */
import { isoTime, now } from "#shared/base/clock.ts";
import type { WorkspaceTask, WorkspaceTaskReport } from "#shared/contracts/workspaces/workspace-work.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Documents, Range } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { type HostBinding, mayActFor, severalHosts } from "../record/host-binding.ts";
import { deleted, measured } from "./workspace-changes.ts";
import { workspaceCollection, type WorkspaceDocument } from "./workspace-collection.ts";

/**
 * The leases of removals and measurements in milliseconds. A removal renames a folder; one whose process died is
 * repeated soon, so that nothing deleted stays on the disk.
 */
const leaseMs = { remove: 5_000, measure: 120_000 } as const;
/** A time later than this was written before the clock was set back, in milliseconds from now. */
const maxAheadMs = 900_000;

type Kind = WorkspaceTask["kind"];
const columnOf = { remove: "due_at", measure: "measure_at" } as const;
const indexOf = { remove: "due", measure: "measure" } as const;

const dueColumns = ["fence", "holder", "host"] as const;
/** The tasks that are read together, and the most pages when most of them are for other hosts. */
const pageSize = 64;
const maxPages = 100;

interface Wanted {
	readonly limit: number;
	readonly host: string | undefined;
}

export class WorkspaceTasks {
	readonly #store: Documents;
	readonly #binding: HostBinding;

	/** @param binding Says which hosts may act for a workspace; default: those of several hosts. */
	constructor(store: Documents, binding: HostBinding = severalHosts) {
		this.#store = store;
		this.#binding = binding;
	}

	/**
	 * Leases due tasks: at most `limit` removals, and one measurement if the caller is free to measure.
	 * @param host The host of the caller, which has no files of others; absent: it reaches all files.
	 */
	async claim(limit: number, measure: boolean, host?: string): Promise<WorkspaceTask[]> {
		const removals = await this.#claim("remove", limit, host);
		return measure ? [...removals, ...(await this.#claim("measure", 1, host))] : removals;
	}

	/** Takes the report of a finished task; false when a newer lease exists. */
	async report({ id, kind, fence, bytes = 0, partial }: WorkspaceTaskReport): Promise<boolean> {
		if (kind === "remove") {
			failpoint("workspaces.files-removed");
			return this.#store.remove(workspaceCollection, id, { equals: { fence, status: "deleted" } });
		}
		const found = await this.#store.get(workspaceCollection, id);
		if (!found || found.fence !== fence || found.status === "deleted") return false;
		const guard = { equals: { fence, rev: found.rev ?? 0 } };
		const change = measured(found, { bytes, partial }, now());
		return (await this.#store.update(workspaceCollection, id, guard, change)) !== undefined;
	}

	async unknown(ids: readonly string[]): Promise<string[]> {
		const found = await Promise.all(ids.map((id) => this.#store.get(workspaceCollection, id, [])));
		return ids.filter((_id, n) => found[n] === undefined);
	}

	/** Deletes archived workspaces that have been kept for long enough; resolves to their count. */
	async expire(keptMs: number, limit: number): Promise<number> {
		const range = { equals: [], to: isoTime(now() - keptMs) };
		const { documents } = await this.#store.find(workspaceCollection, "archived", range, { limit });
		let gone = 0;
		for (const document of documents) {
			const guard = { equals: { rev: document.rev ?? 0 } };
			const change = deleted(document, now());
			if (await this.#store.update(workspaceCollection, document.id, guard, change)) gone++;
		}
		return gone;
	}

	async #claim(kind: Kind, limit: number, host: string | undefined): Promise<WorkspaceTask[]> {
		const at = now();
		const due = await this.#due(kind, { limit, host }, at);
		const tasks: WorkspaceTask[] = [];
		for (const { id, fence = 0, holder } of due) {
			const change = { set: { [columnOf[kind]]: at + leaseMs[kind] }, inc: { fence: 1 } };
			if (await this.#store.update(workspaceCollection, id, { equals: { fence } }, change))
				tasks.push({ id, kind, fence: fence + 1, ...(holder !== undefined && { session: holder }) });
		}
		return tasks;
	}

	async #due(kind: Kind, { limit, host }: Wanted, at: number): Promise<WorkspaceDocument[]> {
		const find = (range: Omit<Range, "equals">) => this.#dueIn(kind, range, { limit, host });
		const found = await Promise.all([find({ to: at }), find({ from: at + maxAheadMs })]);
		return found.flat().slice(0, limit);
	}

	/** Reads on past the tasks of other hosts, which may be away for long. */
	async #dueIn(kind: Kind, range: Omit<Range, "equals">, { limit, host }: Wanted): Promise<WorkspaceDocument[]> {
		const due: WorkspaceDocument[] = [];
		const read = { equals: [], ...range, limit: Math.max(limit, pageSize), columns: dueColumns, pages: maxPages };
		for await (const page of readPages(this.#store, workspaceCollection, indexOf[kind], read)) {
			due.push(...page.filter((one) => mayActFor(this.#binding, one.host, host)));
			if (due.length >= limit) break;
		}
		return due;
	}
}
