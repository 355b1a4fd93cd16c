/**
 * Selects the sessions that get a pass next: due sessions, one of each owner in rotation, for each owner the longest
 * waiting first: launches in the order of their requests, whatever has become of their earlier passes.
 */
import { maxDueMs } from "#shared/contracts/sessions/session-work.ts";
import type { Documents, Range } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { isLaunch, type LaunchPlaces, ownerOf, turnOf } from "../record/launch-places.ts";
import type { PassShares } from "./pass-shares.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";

/** The sessions that are read together, so that many sessions of one person do not hide those of another. */
const pageSize = 500;
/** The most pages that are read when most sessions only wait for a place to start. */
const maxPages = 10;

/** The columns with a session's owner, its order and its kind of work. */
const columns = [
	"tenant",
	"owner",
	"due_at",
	"requested_at",
	"status",
	"desired",
	"waiting_reported",
	"deadline_at",
	"host",
] as const;

interface Selection {
	readonly at: number;
	readonly limit: number;
	/** Whether the pod manager may act for a session. */
	readonly isHere: (document: SessionDocument) => boolean;
	/** The sessions of each owner that it may work on. */
	readonly shares: PassShares;
}

/**
 * Returns due sessions, then sessions whose due time was written before the clock was set back; at most `limit`, with a
 * few columns only.
 */
export async function dueSessions(
	store: Documents,
	places: LaunchPlaces,
	{ at, limit, isHere, shares }: Selection,
): Promise<SessionDocument[]> {
	const ranges = [{ to: at }, { from: at + maxDueMs + 1 }];
	const found = await Promise.all(ranges.map((range) => dueIn(range)));
	return found.flatMap(inTurns).slice(0, limit);

	/**
	 * Reads on past sessions of other hosts, so that one which is due here is found behind them, and past all launches,
	 * because the one that was requested first may be due after the others.
	 */
	async function dueIn(range: Omit<Range, "equals">): Promise<SessionDocument[]> {
		const due: SessionDocument[] = [];
		const read = { equals: [], ...range, limit: pageSize, columns, pages: maxPages };
		for await (const page of readPages(store, sessionCollection, "due", read)) {
			due.push(...page.filter(isHere));
			if (due.filter((document) => !isLaunch(document)).length >= limit) break;
		}
		const inOrder = due.toSorted((one, other) => turnOf(one) - turnOf(other));
		return inOrder.filter((document) => places.admits(document) && shares.admits(document));
	}
}

/** Orders sessions: the first one of each owner, then the second one of each, and so on; otherwise the order stays. */
function inTurns(documents: readonly SessionDocument[]): SessionDocument[] {
	const owners = Map.groupBy(documents, ownerOf);
	if (owners.size <= 1) return [...documents];
	const rounds: SessionDocument[][] = [];
	for (const own of owners.values()) for (const [round, one] of own.entries()) (rounds[round] ??= []).push(one);
	return rounds.flat();
}
