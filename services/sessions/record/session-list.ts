/** Reads pages of the session list. Archived sessions have an index range of their own; a list with both merges the two. */
import type { Principal } from "#shared/base/principal.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { SessionStatus } from "#shared/contracts/sessions/session-resource.ts";
import type { sessions } from "#shared/contracts/sessions/sessions.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import { mergedPage } from "#shared/store/pages/merged-page.ts";
import { readPage, type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
import type { SessionRecords } from "./session-records.ts";

export interface ListQuery extends ParamsOf<typeof sessions.actions.list, "status"> {
	readonly status: SessionStatus | undefined;
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
			? bothShelves(records, principal, query, known)
			: shelfPage(records, principal, query, known);
	return page.catch(refuseCursor);
}

async function shelfPage(
	records: SessionRecords,
	principal: Principal,
	{ status, ...rest }: ListQuery,
	known: string,
): Promise<StoredPage> {
	const filter = { ...rest, by: status === undefined ? ({ shelf: "active" } as const) : { status } };
	return storedPage(records.pages(principal, filter), rest.limit, known);
}

/** Merges the pages of both lists. The cursor is the last session taken, after which both continue. */
async function bothShelves(
	records: SessionRecords,
	principal: Principal,
	query: ListQuery,
	known: string,
): Promise<StoredPage> {
	const pages = await Promise.all(shelves.map((shelf) => records.pages(principal, { ...query, by: { shelf } }).page()));
	return readPage(
		mergedPage(pages, ({ created_at = "" }) => created_at, query.limit),
		known,
	);
}
