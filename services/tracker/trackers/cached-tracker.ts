/** A tracker whose answers are kept for a short time. */
import type { TrackerIssue } from "#shared/contracts/tracker/issue-fields.ts";
import { ServiceError, UpstreamError } from "#shared/base/errors.ts";
import type { IssueTracker, TrackerIdentity } from "./issue-tracker.ts";
import type { TrackerCache } from "./tracker-cache.ts";

/** How long answers are kept, in milliseconds. */
const keptMs = { status: 300_000, issues: 30_000 } as const;

interface TrackerBehind {
	readonly tracker: IssueTracker;
	readonly cache: TrackerCache;
	/** The beginning of the keys of all its answers. */
	readonly key: string;
}

/** The same methods, with the cache. Errors that the adapter did not foresee are the tracker's. */
export class CachedTracker implements IssueTracker {
	readonly #behind: TrackerBehind;

	constructor(behind: TrackerBehind) {
		this.#behind = behind;
	}

	get name(): string {
		return this.#behind.tracker.name;
	}

	status(): Promise<TrackerIdentity> {
		return this.#cached(["status"], keptMs.status, (tracker) => tracker.status());
	}

	search(text: string, project?: string): Promise<TrackerIssue[]> {
		return this.#cached(["search", text, project], keptMs.issues, (tracker) => tracker.search(text, project));
	}

	recent(project: string, limit: number): Promise<TrackerIssue[]> {
		return this.#cached(["recent", project, limit], keptMs.issues, (tracker) => tracker.recent(project, limit));
	}

	async issue(id: string): Promise<TrackerIssue | undefined> {
		const read = async (tracker: IssueTracker) => (await tracker.issue(id)) ?? null;
		return (await this.#cached(["issue", id], keptMs.issues, read)) ?? undefined;
	}

	async setStatus(id: string, status: string): Promise<TrackerIssue> {
		const { cache, key } = this.#behind;
		try {
			return await this.#ask((tracker) => tracker.setStatus(id, status));
		} finally {
			// A request that failed may have had its effect.
			cache.forget(key);
		}
	}

	#cached<T>(question: readonly unknown[], ms: number, ask: (tracker: IssueTracker) => Promise<T>): Promise<T> {
		const { cache, key } = this.#behind;
		return cache.get(`${key}${JSON.stringify(question)}`, ms, () => this.#ask(ask));
	}

	async #ask<T>(ask: (tracker: IssueTracker) => Promise<T>): Promise<T> {
		try {
			return await ask(this.#behind.tracker);
		} catch (error) {
			if (error instanceof ServiceError) throw error;
			const sentence = `The tracker "${this.name}" answered something that cannot be understood`;
			throw new UpstreamError(sentence, "UPSTREAM_ANSWER", { cause: error });
		}
	}
}
