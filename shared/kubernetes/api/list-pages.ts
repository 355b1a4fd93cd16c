/** Reads a list page by page, and keeps of each object only what its caller needs. */
import { monotonic } from "#shared/base/clock.ts";
import { ApiError, noAnswer } from "./api-error.ts";
import { asObject, type KubeList, type KubeObject } from "./kube-object.ts";
import { isTooLarge, PageSize } from "./page-size.ts";

/** The most pages that are asked for: more would be a server that does not end. */
const maxPages = 400;
/** The longest time of a list, in milliseconds. */
const maxListMs = 60_000;
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
	/** The names of the objects that are too large to be read; absent: all were read. */
	readonly leftOut?: readonly string[];
}

/** The source of the pages, and the function that chooses what is kept of an object. */
export interface KeptPages<Kept> {
	/** Asks for a page of the objects, or of their names alone. */
	readonly page: (words: Readonly<Record<string, string>>, of: "objects" | "names") => Promise<KubeList>;
	readonly keep: (object: KubeObject) => Kept;
}

/** @throws {ApiError} as the pages do; the server forgets a list after some minutes (410), which then begins again. */
export async function listPages<Kept>(pages: KeptPages<Kept>, query: ListQuery): Promise<Listed<Kept>> {
	for (let beginning = 1; ; beginning++) {
		const reading = new ListReading(pages, query);
		try {
			return await reading.readAll();
		} catch (error) {
			// A first page that is 410 is about the version that was asked for.
			if (!(error instanceof ApiError && error.isExpired) || !reading.hasBegun || beginning >= maxBeginnings)
				throw error;
		}
	}
}

/** One reading of a list from its beginning. */
class ListReading<Kept> {
	readonly #pages: KeptPages<Kept>;
	readonly #query: ListQuery;
	readonly #size = new PageSize();
	readonly #until = monotonic() + maxListMs;
	readonly #items: Kept[] = [];
	#leftOut: readonly string[] | undefined;
	/** Where the next page begins; undefined: at the first object. */
	#next: string | undefined;

	constructor(pages: KeptPages<Kept>, query: ListQuery) {
		this.#pages = pages;
		this.#query = query;
	}

	/** Whether a page was answered, and another one follows. */
	get hasBegun(): boolean {
		return this.#next !== undefined;
	}

	async readAll(): Promise<Listed<Kept>> {
		for (let asked = 0; asked < maxPages; asked++) {
			if (monotonic() > this.#until)
				throw noAnswer("ClientTimeout", `The cluster's API has not answered a list within ${maxListMs / 1_000} s`);
			const page = await this.#page();
			if (!page) continue;
			const { resourceVersion, continue: next = "" } = page.metadata ?? {};
			if (resourceVersion === undefined)
				throw noAnswer("AnswerUnreadable", "The cluster's API has answered a list without a version");
			if (next === "") return { resourceVersion, items: this.#items, ...(this.#leftOut && { leftOut: this.#leftOut }) };
			this.#next = next;
		}
		throw noAnswer("AnswerTooLarge", `The cluster's API has answered a list of more than ${maxPages} pages`);
	}

	/** Takes the next page; resolves to undefined where a smaller one has to be asked for. */
	async #page(): Promise<KubeList | undefined> {
		try {
			const page = await this.#pages.page(this.#words(), "objects");
			for (const object of page.items ?? []) this.#items.push(this.#pages.keep(checkedObject(object)));
			this.#size.answered();
			return page;
		} catch (error) {
			if (this.#size.failed(error)) return undefined;
			if (isTooLarge(error)) return this.#passedOver();
			throw error;
		}
	}

	/** Passes over one object that is too large by itself: its name is answered with the place where the list goes on. */
	async #passedOver(): Promise<KubeList> {
		const page = await this.#pages.page(this.#words(), "names");
		const names = (page.items ?? []).map((object) => checkedObject(object).metadata.name);
		this.#leftOut = [...(this.#leftOut ?? []), ...names];
		return page;
	}

	/** A further page has the version of the first one. */
	#words(): Record<string, string> {
		const { labelSelector, fieldSelector, version } = this.#query;
		return {
			limit: String(this.#size.objects),
			...(labelSelector !== undefined && { labelSelector }),
			...(fieldSelector !== undefined && { fieldSelector }),
			...(this.#next === undefined
				? version && { resourceVersion: version.resourceVersion, resourceVersionMatch: version.match }
				: { continue: this.#next }),
		};
	}
}

function checkedObject(value: unknown): KubeObject {
	const object = asObject(value);
	if (object) return object;
	throw noAnswer("AnswerUnreadable", "The cluster's API has answered a list with an object that has no name");
}
