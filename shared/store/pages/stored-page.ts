/**
 * Pages of stored lists for clients: the stored texts are joined without being parsed, and a page that the client has
 * already is not read again.
 */
import { type JsonText, jsonText } from "#shared/base/schema/json-text.ts";
import { listTag } from "./list-tag.ts";

/** A stored document of a list. Its revision grows with every change. */
export interface ListedDocument {
	readonly id: string;
	readonly wire: string;
	readonly rev?: number;
}

export interface FoundDocuments<D = ListedDocument> {
	readonly documents: readonly D[];
	readonly next?: string;
}

/** The two ways to read one page of a list. */
export interface StoredList {
	readonly page: () => Promise<FoundDocuments>;
	/** The ids and revisions of at most `limit` + 1 documents, as `DocumentStore.versions` returns them. */
	readonly versions: () => Promise<string>;
}

export interface StoredPage {
	items: JsonText;
	next?: string;
	/** Absent when the page's bytes ended it before its limit, and where a list says so. */
	etag?: string;
	/** The client has the content that `etag` names; `items` is empty. */
	unchanged?: true;
}

/** Returns the page. @param known The tags of the pages that the client has: its `If-None-Match`. */
export async function storedPage(list: StoredList, limit: number, known = ""): Promise<StoredPage> {
	if (known !== "") {
		const lines = await list.versions();
		const etag = listTag(lines === "" ? [] : lines.split("\n"), limit);
		if (known.includes(etag)) return { items: itemsOf([]), etag, unchanged: true };
	}
	const { documents, next } = await list.page();
	// The lines of the comparison cover `limit` documents, however large they are.
	if (next !== undefined && documents.length < limit) return { items: itemsOf(documents), next };
	return { ...pageOf({ documents, ...(next !== undefined && { next }) }), etag: tagOf(documents, next, limit) };
}

/** Returns a page whose tag is known only when its documents have been read, e.g. of a search. */
export function readPage(found: FoundDocuments, known = ""): StoredPage {
	const { documents, next } = found;
	const etag = tagOf(documents, next, documents.length);
	if (known.includes(etag)) return { items: itemsOf([]), etag, unchanged: true };
	return { ...pageOf(found), etag };
}

/** Joins the documents to one list without parsing them. */
function itemsOf(documents: readonly ListedDocument[]): JsonText {
	return jsonText(`[${documents.map(({ wire }) => wire).join(",")}]`);
}

function pageOf({ documents, next }: FoundDocuments): StoredPage {
	return { items: itemsOf(documents), ...(next !== undefined && { next }) };
}

function tagOf(documents: readonly ListedDocument[], next: string | undefined, limit: number): string {
	const lines = documents.map(({ id, rev }) => `${id}:${rev}`);
	return listTag(next === undefined ? lines : [...lines, next], limit);
}
