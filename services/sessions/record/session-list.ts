/** Pages of the session list. Archived sessions stand on a shelf of their own; asked for together, the two are merged. */
import { type JsonText, jsonText } from "#shared/bus/json-text.ts";
import type { Principal } from "#shared/bus/principal.ts";
import type { SessionStatus } from "#shared/contracts/session-resource.ts";
import { BadRequestError } from "#shared/errors.ts";
import { answerBytes } from "#shared/pod/answer-size.ts";
import { encodeCursor } from "#shared/store/cursor.ts";
import { PageRoom } from "#shared/store/page-room.ts";
import type { SessionDocument } from "./session-collection.ts";
import { listTag } from "./session-list-tag.ts";
import type { SessionRecords } from "./session-records.ts";

export interface ListQuery {
	/** With a status, `include_archived` is ignored. */
	readonly status: SessionStatus | undefined;
	readonly include_archived: boolean;
	readonly limit: number;
	readonly cursor: string | undefined;
}

export interface SessionPage {
	/** A list. */
	items: JsonText;
	next?: string;
	/** Absent where the two shelves are merged, and where bytes ended the page. */
	etag?: string;
	/** The client has what `etag` names; `items` is empty. */
	unchanged?: true;
}

const shelves = ["active", "archived"] as const;

/**
 * Newest first.
 * @param known What the client has already: its `If-None-Match`.
 * @throws {BadRequestError} for a cursor that is not ours.
 */
export async function listPage(
	records: SessionRecords,
	principal: Principal,
	query: ListQuery,
	known = "",
): Promise<SessionPage> {
	try {
		return await (query.status === undefined && query.include_archived
			? mergedPage(records, principal, query)
			: shelfPage(records, principal, query, known));
	} catch (error) {
		if (error instanceof RangeError) throw new BadRequestError("This cursor is not one of ours", "CURSOR_REFUSED");
		throw error;
	}
}

async function shelfPage(
	records: SessionRecords,
	principal: Principal,
	{ status, limit, cursor }: ListQuery,
	known: string,
): Promise<SessionPage> {
	const filter = { by: status === undefined ? ({ shelf: "active" } as const) : { status }, limit, cursor };
	if (known !== "") {
		const lines = await records.versions(principal, filter);
		const etag = listTag(lines === "" ? [] : lines.split("\n"), limit);
		if (known.includes(etag)) return { items: listOf([]), etag, unchanged: true };
	}
	const { documents, next } = await records.page(principal, filter);
	// What the tag is compared with names `limit` sessions, however large they are.
	if (next !== undefined && documents.length < limit) return { items: listOf(documents), next };
	const lines = documents.map(({ id, rev }) => `${id}:${rev}`);
	const etag = listTag(next === undefined ? lines : [...lines, next], limit);
	return { items: listOf(documents), ...(next !== undefined && { next }), etag };
}

/** The documents as one list, without a look into them. */
function listOf(documents: readonly SessionDocument[]): JsonText {
	return jsonText(`[${documents.map(({ wire }) => wire).join(",")}]`);
}

/** The cursor of a merged page is the last session taken; each shelf goes on after it. */
async function mergedPage(
	records: SessionRecords,
	principal: Principal,
	{ limit, cursor }: ListQuery,
): Promise<SessionPage> {
	const pages = await Promise.all(shelves.map((shelf) => records.page(principal, { by: { shelf }, limit, cursor })));
	const all = pages.flatMap(({ documents }) => documents).sort(newestFirst);
	// Behind the end of a shelf's page others of that shelf may come first.
	const ends = pages.flatMap(({ documents, next }) => (next === undefined ? [] : documents.slice(-1)));
	const [end] = ends.sort(newestFirst);
	const room = new PageRoom(limit, answerBytes);
	const last = all.findIndex((one) => (end && newestFirst(one, end) > 0) || !room.take(one.wire));
	const taken = last === -1 ? all : all.slice(0, last);
	const more = taken.length < all.length || end !== undefined;
	const { created_at = "", id = "" } = taken.at(-1) ?? {};
	return { items: listOf(taken), ...(more && { next: encodeCursor({ value: created_at, id }) }) };
}

/** By time of creation, ties by id, as the store orders them. */
function newestFirst(a: SessionDocument, b: SessionDocument): number {
	return compare(b.created_at ?? "", a.created_at ?? "") || compare(b.id, a.id);
}

function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}
