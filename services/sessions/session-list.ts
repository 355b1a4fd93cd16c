/** Pages of the session list. Archived sessions stand on a shelf of their own; asked for together, the two are merged. */
import type { Principal } from "#shared/bus/principal.ts";
import type { Session, SessionStatus } from "#shared/contracts/session-resource.ts";
import { BadRequestError } from "#shared/errors.ts";
import { encodeCursor } from "#shared/store/cursor.ts";
import type { SessionRecords } from "./session-records.ts";

export interface ListQuery {
	/** With a status, `include_archived` is ignored. */
	readonly status: SessionStatus | undefined;
	readonly include_archived: boolean;
	readonly limit: number;
	readonly cursor: string | undefined;
}

export interface SessionPage {
	items: Session[];
	next?: string;
}

const shelves = ["active", "archived"] as const;

/** Newest first. @throws {BadRequestError} for a cursor that is not ours. */
export async function listPage(records: SessionRecords, principal: Principal, query: ListQuery): Promise<SessionPage> {
	try {
		return await (query.status === undefined && query.include_archived
			? mergedPage(records, principal, query)
			: shelfPage(records, principal, query));
	} catch (error) {
		if (error instanceof RangeError) throw new BadRequestError("This cursor is not one of ours", "CURSOR_REFUSED");
		throw error;
	}
}

async function shelfPage(records: SessionRecords, principal: Principal, query: ListQuery): Promise<SessionPage> {
	const by = query.status === undefined ? ({ shelf: "active" } as const) : { status: query.status };
	const { sessions, next } = await records.page(principal, { by, limit: query.limit, cursor: query.cursor });
	return { items: sessions, ...(next !== undefined && { next }) };
}

/** The cursor of a merged page is the last session taken; each shelf goes on after it. */
async function mergedPage(
	records: SessionRecords,
	principal: Principal,
	{ limit, cursor }: ListQuery,
): Promise<SessionPage> {
	const pages = await Promise.all(shelves.map((shelf) => records.page(principal, { by: { shelf }, limit, cursor })));
	const all = pages.flatMap(({ sessions }) => sessions).sort(newestFirst);
	const items = all.slice(0, limit);
	const more = all.length > limit || pages.some(({ next }) => next !== undefined);
	const last = items.at(-1);
	return { items, ...(more && last && { next: encodeCursor({ value: last.created_at, id: last.id }) }) };
}

/** By time of creation, ties by id, as the store orders them. */
function newestFirst(a: Session, b: Session): number {
	return compare(b.created_at, a.created_at) || compare(b.id, a.id);
}

function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}
