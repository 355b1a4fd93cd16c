/**
 * Pages of lists that are short and in memory as a whole, because the program or the configuration bounds them. Clients
 * read them as they read stored lists: by `limit` and `cursor`, with an entity tag. Pure.
 */
import { createHash } from "node:crypto";
import { answerBytes } from "../pod/answer-size.ts";
import { type CursorPosition, decodeCursor, encodeCursor, refuseCursor } from "./cursor.ts";
import { PageRoom } from "./page-room.ts";

/** The page that a client asks for. */
export interface PageRequest {
	/** Most items of the page. */
	readonly limit: number;
	/** The value `next` of the preceding page. */
	readonly cursor?: string | undefined;
	/** The tags of the pages that the client has already: its `If-None-Match`. */
	readonly known?: string | undefined;
}

/** One page. */
export interface MemoryPage<T> {
	items: T[];
	/** The cursor of the next page; absent when there is none. */
	next?: string;
	/** A weak entity tag (RFC 9110, 8.8.3) of the page's content. */
	etag: string;
	/** The client has this page already; `items` is empty. */
	unchanged?: true;
}

/**
 * Returns a page of the list, sorted by the position of its items. A page also ends before 850 KB, but has at least one
 * item.
 * @throws {BadRequestError} for a cursor that no page has given.
 */
export function memoryPage<T>(
	list: readonly T[],
	positionOf: (item: T) => CursorPosition,
	{ limit, cursor, known = "" }: PageRequest,
): MemoryPage<T> {
	const sorted = list.toSorted((a, b) => compare(positionOf(a), positionOf(b)));
	const end = cursor === undefined ? undefined : positionIn(cursor);
	const following = end === undefined ? sorted : sorted.filter((item) => compare(positionOf(item), end) > 0);
	const room = new PageRoom(limit, answerBytes);
	const full = following.findIndex((item) => !room.take(JSON.stringify(item)));
	const items = full === -1 ? following : following.slice(0, full);
	const last = items.at(-1);
	const more = full !== -1 && last !== undefined && { next: encodeCursor(positionOf(last)) };
	const etag = tagOf(JSON.stringify([items, more]));
	if (known.includes(etag)) return { items: [], etag, unchanged: true };
	return { items, ...more, etag };
}

function compare(a: CursorPosition, b: CursorPosition): number {
	return rank(a.value, b.value) || rank(a.id, b.id);
}

function rank(a: string | number, b: string | number): number {
	return a < b ? -1 : Number(a > b);
}

function positionIn(cursor: string): CursorPosition {
	try {
		return decodeCursor(cursor);
	} catch (error) {
		return refuseCursor(error);
	}
}

function tagOf(text: string): string {
	return `W/"${createHash("sha1").update(text).digest("base64url")}"`;
}
