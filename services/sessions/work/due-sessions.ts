/** Which sessions get a pass next: those that are due, one of each owner in turn, the longest waiting of each first. */
import { maxDueMs } from "#shared/contracts/session-work.ts";
import type { DocumentStore, Range } from "#shared/store/document-store.ts";
import { type LaunchPlaces, ownerOf } from "../record/launch-places.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";

/** Sessions that are looked at together, so that one person's crowd does not hide another one's session. */
const pageSize = 500;
/** Pages, where most sessions only wait for a place to start. */
const maxPages = 10;

/** What tells whose a session is, in which order it is due, and what for. */
const columns = ["tenant", "owner", "due_at", "status", "desired", "waiting_reported", "deadline_at"] as const;

/** Those whose time has come, then those put off by a clock that has been set back since; at most `limit`, of their columns only a few. */
export async function dueSessions(
	store: DocumentStore,
	places: LaunchPlaces,
	at: number,
	limit: number,
): Promise<SessionDocument[]> {
	const ranges = [{ to: at }, { from: at + maxDueMs + 1 }];
	const found = await Promise.all(ranges.map((range) => dueIn(range)));
	return found.flatMap(inTurns).slice(0, limit);

	/** However many only wait for a place, one that can begin is found behind them. */
	async function dueIn(range: Omit<Range, "equals">): Promise<SessionDocument[]> {
		const admitted: SessionDocument[] = [];
		let after: string | undefined;
		for (let pages = 0; pages < maxPages; pages++) {
			const page = { limit: pageSize, columns, ...(after !== undefined && { after }) };
			const { documents, next } = await store.find(sessionCollection, "due", { equals: [], ...range }, page);
			admitted.push(...documents.filter((document) => places.admits(document)));
			if (next === undefined || admitted.length >= limit) break;
			after = next;
		}
		return admitted;
	}
}

/** The first one of each owner, then the second one of each, and so on; otherwise in the order they are in. */
function inTurns(documents: readonly SessionDocument[]): SessionDocument[] {
	const owners = Map.groupBy(documents, ownerOf);
	if (owners.size <= 1) return [...documents];
	const rounds: SessionDocument[][] = [];
	for (const own of owners.values()) for (const [round, one] of own.entries()) (rounds[round] ??= []).push(one);
	return rounds.flat();
}
