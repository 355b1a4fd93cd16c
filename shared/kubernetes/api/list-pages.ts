/** Reads a list page by page, and keeps of each object only what its caller needs. */
import { ApiError, noAnswer } from "./api-error.ts";
import { asObject, type KubeList, type KubeObject } from "./kube-object.ts";

/** The objects of a page. */
const pageSize = 500;
/** The most pages: more would be a server that does not end. */
const maxPages = 400;
/** The most times that a list begins again. */
const maxBeginnings = 3;

/** A state of the collection. */
export interface ListVersion {
	readonly resourceVersion: string;
	/** `NotOlderThan`: this state or a later one. `Exact`: this state, as long as the server remembers it. */
	readonly match: "NotOlderThan" | "Exact";
}

/** Says which objects are listed, and how new they have to be. */
export interface ListQuery {
	readonly labelSelector?: string | undefined;
	readonly fieldSelector?: string | undefined;
	/** Absent: the newest state, which a quorum of the cluster confirms. */
	readonly version?: ListVersion | undefined;
}

/** The kept parts of a list, and its state. */
export interface Listed<Kept> {
	readonly resourceVersion: string;
	readonly items: readonly Kept[];
}

/** The source of the pages, and the function that chooses what is kept of an object. */
export interface KeptPages<Kept> {
	readonly page: (words: Readonly<Record<string, string>>) => Promise<KubeList>;
	readonly keep: (object: KubeObject) => Kept;
}

/** @throws {ApiError} as the pages do; the server forgets a list after some minutes (410), which then begins again. */
export async function listPages<Kept>(pages: KeptPages<Kept>, query: ListQuery): Promise<Listed<Kept>> {
	for (let beginning = 1; ; beginning++) {
		const progress = { pages: 0 };
		try {
			return await readPages(pages, query, progress);
		} catch (error) {
			// A first page that is 410 is about the version that was asked for.
			if (!(error instanceof ApiError && error.isExpired) || progress.pages === 0 || beginning >= maxBeginnings)
				throw error;
		}
	}
}

async function readPages<Kept>(
	{ page, keep }: KeptPages<Kept>,
	query: ListQuery,
	progress: { pages: number },
): Promise<Listed<Kept>> {
	const items: Kept[] = [];
	let words = firstWords(query);
	for (let next: string | undefined; progress.pages < maxPages; progress.pages++) {
		const { metadata = {}, items: objects } = await page(
			next === undefined ? words : { ...followingWords(query), continue: next },
		);
		for (const object of objects ?? []) items.push(keep(checkedObject(object)));
		next = metadata.continue === "" ? undefined : metadata.continue;
		if (metadata.resourceVersion === undefined)
			throw noAnswer("AnswerUnreadable", "The cluster's API has answered a list without a version");
		if (next === undefined) return { resourceVersion: metadata.resourceVersion, items };
	}
	throw noAnswer("AnswerTooLarge", `The cluster's API has answered a list of more than ${maxPages} pages`);
}

function checkedObject(value: unknown): KubeObject {
	const object = asObject(value);
	if (object) return object;
	throw noAnswer("AnswerUnreadable", "The cluster's API has answered a list with an object that has no name");
}

function firstWords(query: ListQuery): Record<string, string> {
	const { version } = query;
	return {
		...followingWords(query),
		...(version && { resourceVersion: version.resourceVersion, resourceVersionMatch: version.match }),
	};
}

/** A further page has the version of the first one. */
function followingWords({ labelSelector, fieldSelector }: ListQuery): Record<string, string> {
	return {
		limit: String(pageSize),
		...(labelSelector !== undefined && { labelSelector }),
		...(fieldSelector !== undefined && { fieldSelector }),
	};
}
