/**
 * Reads pages of the session list. Archived sessions have an index range of their own; a list with both merges the two.
 */
import type { Principal } from "#shared/bus/principal.ts";
import type { SessionStatus } from "#shared/contracts/session-resource.ts";
import { answerBytes } from "#shared/pod/answer-size.ts";
import { encodeCursor, refuseCursor } from "#shared/store/cursor.ts";
import { PageRoom } from "#shared/store/page-room.ts";
import { itemsOf, type StoredPage, storedPage } from "#shared/store/stored-page.ts";
import type { SessionDocument } from "./session-collection.ts";
import type { SessionRecords } from "./session-records.ts";

/** The filter and the position of a page. */
export interface ListQuery {
	/** The status of the sessions; when given, `include_archived` is ignored. */
	readonly status: SessionStatus | undefined;
	readonly include_archived: boolean;
	readonly limit: number;
	readonly cursor: string | undefined;
}

const shelves = ["active", "archived"] as const;

/**
 * Returns a page, newest first.
 * @param known The client's `If-None-Match`.
 * @throws {BadRequestError} for an invalid cursor.
 */
export async function listPage(
	records: SessionRecords,
	principal: Principal,
	query: ListQuery,
	known = "",
): Promise<StoredPage> {
	const page =
		query.status === undefined && query.include_archived
			? mergedPage(records, principal, query)
			: shelfPage(records, principal, query, known);
	return page.catch(refuseCursor);
}

async function shelfPage(
	records: SessionRecords,
	principal: Principal,
	{ status, limit, cursor }: ListQuery,
	known: string,
): Promise<StoredPage> {
	const filter = { by: status === undefined ? ({ shelf: "active" } as const) : { status }, limit, cursor };
	const list = {
		page: () => records.page(principal, filter),
		versions: () => records.versions(principal, filter),
	};
	return storedPage(list, limit, known);
}

/** Merges the pages of both lists. The cursor is the last session taken, after which both continue. */
async function mergedPage(
	records: SessionRecords,
	principal: Principal,
	{ limit, cursor }: ListQuery,
): Promise<StoredPage> {
	const pages = await Promise.all(shelves.map((shelf) => records.page(principal, { by: { shelf }, limit, cursor })));
	const all = pages.flatMap(({ documents }) => documents).sort(newestFirst);
	// Sessions behind the end of one list's page may come before the rest of the other's.
	const ends = pages.flatMap(({ documents, next }) => (next === undefined ? [] : documents.slice(-1)));
	const [end] = ends.sort(newestFirst);
	const room = new PageRoom(limit, answerBytes);
	const last = all.findIndex((one) => (end && newestFirst(one, end) > 0) || !room.take(one.wire));
	const taken = last === -1 ? all : all.slice(0, last);
	const more = taken.length < all.length || end !== undefined;
	const { created_at = "", id = "" } = taken.at(-1) ?? {};
	return { items: itemsOf(taken), ...(more && { next: encodeCursor({ value: created_at, id }) }) };
}

/** Compares by time of creation and then by id, as the store does. */
function newestFirst(a: SessionDocument, b: SessionDocument): number {
	return compare(b.created_at ?? "", a.created_at ?? "") || compare(b.id, a.id);
}

function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}
