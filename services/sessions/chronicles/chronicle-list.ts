/** Reads pages of the list of chronicles. */
import type { Principal } from "#shared/bus/principal.ts";
import { nextTurn } from "#shared/clock.ts";
import type { Chronicle } from "#shared/contracts/chronicles.ts";
import { answerBytes, jsonBytes } from "#shared/pod/answer-size.ts";
import { encodeCursor, refuseCursor } from "#shared/store/cursor.ts";
import { chronicleOf, type ChronicleRecords } from "./chronicle-records.ts";

/** The filter and the position of a page. */
export interface ChronicleQuery {
	readonly project?: string | undefined;
	readonly repo?: string | undefined;
	readonly model_name?: string | undefined;
	/** The required tags, separated by commas; a chronicle must have all of them. */
	readonly tags?: string | undefined;
	readonly limit: number;
	readonly offset: number;
	readonly cursor?: string | undefined;
}

/** One page of chronicles. */
export interface ChroniclePage {
	items: Chronicle[];
	next?: string;
}

const pageSize = 100;
/** The most reads for one page; a filtered page may therefore be short although there are more chronicles. */
const maxReads = 20;

/** Returns a page, newest first. @throws {BadRequestError} for an invalid cursor. */
export async function chroniclePage(
	records: ChronicleRecords,
	principal: Principal,
	query: ChronicleQuery,
): Promise<ChroniclePage> {
	const page = new PageBuilder(query);
	let { cursor } = query;
	for (let reads = 0; reads < maxReads; reads++) {
		if (reads > 0) await nextTurn();
		const { documents, next } = await records.page(principal, pageSize, cursor).catch(refuseCursor);
		for (const document of documents) {
			if (document.status === "deleted") continue;
			const chronicle = chronicleOf(document);
			if (!page.hasRoomFor(chronicle)) return page.endedBefore();
			page.add(chronicle);
		}
		cursor = next;
		if (cursor === undefined) return { items: page.items };
	}
	return { items: page.items, ...(cursor !== undefined && { next: cursor }) };
}

class PageBuilder {
	readonly items: Chronicle[] = [];
	readonly #query: ChronicleQuery;
	readonly #tags: readonly string[];
	#toSkip: number;
	#bytes = 0;
	#last: Chronicle | undefined;

	constructor(query: ChronicleQuery) {
		this.#query = query;
		this.#tags = (query.tags ?? "").split(",").flatMap((tag) => tag.trim() || []);
		this.#toSkip = query.offset;
	}

	/** Whether the page has room for one more chronicle; it always has for the first one. */
	hasRoomFor(chronicle: Chronicle): boolean {
		if (this.items.length === 0) return true;
		return this.items.length < this.#query.limit && this.#bytes + jsonBytes(chronicle) <= answerBytes;
	}

	/** Adds the chronicle if it matches the query. */
	add(chronicle: Chronicle): void {
		this.#last = chronicle;
		if (!this.#fits(chronicle) || this.#toSkip-- > 0) return;
		this.items.push(chronicle);
		this.#bytes += jsonBytes(chronicle) + 1;
	}

	/** Returns the page with a cursor behind the last chronicle that was read. */
	endedBefore(): ChroniclePage {
		const { items } = this;
		return { items, ...(this.#last && { next: encodeCursor({ value: this.#last.created_at, id: this.#last.id }) }) };
	}

	#fits({ project, repo, model, tags }: Chronicle): boolean {
		const { project: wantedProject = project, repo: wantedRepo = repo, model_name = model } = this.#query;
		const isWanted = project === wantedProject && repo === wantedRepo && model === model_name;
		return isWanted && this.#tags.every((tag) => tags.includes(tag));
	}
}
