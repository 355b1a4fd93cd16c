/**
 * Pages of lists that are short and in memory as a whole, because the program or the configuration bounds them. Clients
 * read them as they read stored lists: by `limit` and `cursor`, with an entity tag. Pure.
 */
import { answerBytes } from "#shared/base/answer-size.ts";
import { comparePositions, type CursorPosition, decodeCursor, encodeCursor, refuseCursor } from "./cursor.ts";
import { listTag } from "./list-tag.ts";
import { PageRoom } from "./page-room.ts";

export interface PageRequest {
	readonly limit: number;
	/** The value `next` of the preceding page. */
	readonly cursor?: string | undefined;
	/** The tags of the pages that the client has already: its `If-None-Match`. */
	readonly known?: string | undefined;
}

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
	const sorted = list.toSorted((a, b) => comparePositions(positionOf(a), positionOf(b)));
	const end = cursor === undefined ? undefined : positionIn(cursor);
	const following = end === undefined ? sorted : sorted.filter((item) => comparePositions(positionOf(item), end) > 0);
	const texts = textsWithin(new PageRoom(limit, answerBytes), following);
	const items = following.slice(0, texts.length);
	const last = items.length < following.length ? items.at(-1) : undefined;
	const next = last && encodeCursor(positionOf(last));
	const etag = listTag(next === undefined ? texts : [...texts, next], texts.length);
	if (known.includes(etag)) return { items: [], etag, unchanged: true };
	return { items, ...(next !== undefined && { next }), etag };
}

/** Returns the JSON texts of the first items, as many as have room. */
function textsWithin(room: PageRoom, items: readonly unknown[]): string[] {
	const texts: string[] = [];
	for (const item of items) {
		const text = JSON.stringify(item);
		if (!room.take(text)) break;
		texts.push(text);
	}
	return texts;
}

/** Returns a page of a list that has an order of its own; the cursor is the place in it. @throws {BadRequestError} */
export function memoryPageInOrder<T extends { readonly id: string }>(
	list: readonly T[],
	request: PageRequest,
): MemoryPage<T> {
	const places = new Map(list.map(({ id }, place) => [id, place]));
	return memoryPage(list, ({ id }) => ({ value: places.get(id) ?? 0, id }), request);
}

function positionIn(cursor: string): CursorPosition {
	try {
		return decodeCursor(cursor);
	} catch (error) {
		return refuseCursor(error);
	}
}
