/** The repository of moves of issues: notes them, hands them out for a try, and keeps what came of it. */
import { bound } from "#shared/base/bounds.ts";
import type { Owner, Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { LogEntry } from "#shared/contracts/event-log.ts";
import type { IssueMove } from "#shared/contracts/tracker/issues.ts";
import type { Mapping } from "#shared/contracts/tracker/mappings.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import type { TrackerWish } from "../trackers/connected-trackers.ts";
import { moveCollection, type MoveDocument } from "./move-collection.ts";
import { deletedSession, type MoveOccasion, occasionOf } from "./move-notes.ts";

/** A try has 15 s at the tracker and a few more for what it asks of the platform. */
const leaseMs = 40_000;

/** The most ids of moves that a process remembers to have noted. */
const maxKnown = 5_000;

/** A move that was handed out; nobody else tries it until its lease is over. */
export interface HeldMove {
	readonly id: string;
	readonly tenant: string;
	readonly owner: string;
	readonly session: string;
	readonly issue: string | undefined;
	readonly wish: TrackerWish;
	readonly move: IssueMove;
	readonly rev: number;
}

/** The outcome of a try; absent members stay. */
export interface MoveOutcome {
	readonly state: IssueMove["state"];
	readonly issue?: string | undefined;
	readonly error: string | null;
	/** The wait until the next try in milliseconds, when the move still waits. */
	readonly waitMs?: number;
}

type MappingOf = (person: Owner, repo: string) => Promise<Mapping | undefined>;

/** Each process has one; a move is handed out to one process at a time. */
export class IssueMoves {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof moveCollection>;
	readonly #mappingOf: MappingOf;
	/** Saves questions about sessions that change often while they run. */
	readonly #known = new Set<string>();

	constructor(store: Documents, mappingOf: MappingOf) {
		this.#store = store;
		this.#records = new ResourceRecords(store, { collection: moveCollection, noun: "Move" });
		this.#mappingOf = mappingOf;
	}

	/**
	 * Notes the move that follows from an event, and forgets those of a deleted session. Resolves to false when there was
	 * nothing to write.
	 */
	async note(entry: LogEntry): Promise<boolean> {
		const deleted = deletedSession(entry);
		if (deleted !== undefined) return this.#forget(entry.tenant, deleted);
		const occasion = occasionOf(entry);
		if (!occasion || this.#known.has(occasion.id)) return false;
		const mapping = await this.#mappingFor(occasion);
		const status = occasion.event === "start" ? mapping?.on_start : mapping?.on_merge;
		if (!mapping || !status || (await this.#isFull(occasion))) return false;
		failpoint("issue-moves.read");
		await this.#records.insert(firstOf(occasion, mapping, status));
		this.#remember(occasion);
		return true;
	}

	/** Returns the mapping, unless it was made later: each event of a running session tells its start again. */
	async #mappingFor({ tenant, owner: id, repo, at }: MoveOccasion): Promise<Mapping | undefined> {
		const mapping = await this.#mappingOf({ tenant, id }, repo);
		return mapping && Date.parse(mapping.created_at) <= at ? mapping : undefined;
	}

	/** Returns moves whose time has come, the longest waiting first. */
	async due(limit: number): Promise<MoveDocument[]> {
		return (await this.#store.find(moveCollection, "due", { equals: [], to: now() }, { limit })).documents;
	}

	/** Hands a move out for one try; undefined when another process was faster. */
	async hold({ id, wire, rev = 0, attempts = 0, ...columns }: MoveDocument): Promise<HeldMove | undefined> {
		const { tenant = "", owner = "", session = "", issue, wish } = columns;
		const read: IssueMove = JSON.parse(wire);
		const move = { ...read, attempts: attempts + 1, updated_at: isoTime() };
		const set = { attempts: attempts + 1, due_at: now() + leaseMs };
		if (!(await this.#records.write({ id, rev }, { wire: JSON.stringify(move), set }))) return undefined;
		return { id, tenant, owner, session, issue, wish: wish as TrackerWish, move, rev: rev + 1 };
	}

	/** Stores what came of a try; does nothing when its lease was over and another process tries. */
	async settle({ id, move, rev }: HeldMove, { state, issue, error, waitMs = 0 }: MoveOutcome): Promise<void> {
		const issue_id = issue ?? move.issue_id;
		const wire = JSON.stringify({ ...move, state, issue_id, error, updated_at: isoTime() } satisfies IssueMove);
		const set = issue === undefined ? {} : { issue };
		const change =
			state === "waiting"
				? { wire, set: { ...set, due_at: now() + Math.round(waitMs) } }
				: { wire, set, unset: ["due_at"] as const };
		await this.#records.write({ id, rev }, change);
	}

	/** Lets a move wait behind those of others. */
	async postpone(move: MoveDocument, ms: number): Promise<void> {
		await this.#records.write(move, { set: { due_at: now() + ms } });
	}

	/** Removes a move that turned out to be none. */
	async drop({ id, rev }: HeldMove): Promise<void> {
		await this.#store.remove(moveCollection, id, { equals: { rev } });
	}

	/** Returns the moves of a session, in no particular order. The caller has seen the session. */
	async ofSession({ tenant }: Principal, session: string): Promise<IssueMove[]> {
		const range = { equals: [tenant, session] };
		const { documents } = await this.#store.find(moveCollection, "by_session", range, { limit: bound.moves });
		return documents.map(({ wire }): IssueMove => JSON.parse(wire));
	}

	/**
	 * Makes moves due whose tries a former process of a single one has left, so that they need not wait for the end of
	 * their lease.
	 */
	async releaseLeases(): Promise<void> {
		const { documents } = await this.#store.find(
			moveCollection,
			"due",
			{ equals: [], from: now(), to: now() + leaseMs },
			{ limit: maxKnown },
		);
		for (const document of documents) await this.postpone(document, 0);
	}

	/** Resolves to whether there were any. */
	async #forget(tenant: string, session: string): Promise<boolean> {
		return (await this.#records.removeFirst("by_session", { equals: [tenant, session] })) > 0;
	}

	#remember({ id }: MoveOccasion): void {
		if (this.#known.size >= maxKnown) this.#known.clear();
		this.#known.add(id);
	}

	/** Whether a session has as many moves as it may have. Processes that note at the same time may exceed it a little. */
	async #isFull({ tenant, session }: MoveOccasion): Promise<boolean> {
		return (await this.#store.count(moveCollection, "by_session", { equals: [tenant, session] })) >= bound.moves;
	}
}

function firstOf(occasion: MoveOccasion, mapping: Mapping, status: string): MoveDocument {
	const { id, event, tenant, owner, session, issue } = occasion;
	const { tracker, connection_id } = mapping;
	const move: IssueMove = {
		issue_id: issue ?? "",
		event,
		status,
		state: "waiting",
		attempts: 0,
		error: null,
		updated_at: isoTime(),
	};
	const columns = { tenant, owner, session, wish: { tracker, connection_id } satisfies TrackerWish };
	const times = { due_at: now(), attempts: 0, rev: 1 };
	return { id, wire: JSON.stringify(move), ...columns, ...times, ...(issue !== undefined && { issue }) };
}
