/** Reads pages of the list of chronicles. */
import type { Principal } from "#shared/base/principal.ts";
import { nextTurn } from "#shared/base/clock.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { Chronicle, chronicles } from "#shared/contracts/sessions/chronicles.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { encodeCursor, refuseCursor } from "#shared/store/pages/cursor.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { type FoundDocuments, readPage, type StoredPage } from "#shared/store/pages/stored-page.ts";
import type { ChronicleDocument } from "./chronicle-collections.ts";
import { chronicleOf, type ChronicleRecords } from "./chronicle-records.ts";

type ChronicleQuery = ParamsOf<typeof chronicles.actions.list> & PageRequest;

const pageSize = 100;
/** The most reads for one page; a filtered page may therefore be short although there are more chronicles. */
const maxReads = 20;

/** Returns a page, newest first. @throws {BadRequestError} for an invalid cursor. */
export async function chroniclePage(
	records: ChronicleRecords,
	principal: Principal,
	query: ChronicleQuery,
): Promise<StoredPage> {
	return readPage(await foundChronicles(records, principal, query), query.known);
}

async function foundChronicles(
	records: ChronicleRecords,
	principal: Principal,
	query: ChronicleQuery,
): Promise<FoundDocuments> {
	const page = new PageBuilder(query);
	let { cursor } = query;
	for (let reads = 0; reads < maxReads; reads++) {
		if (reads > 0) await nextTurn();
		const { documents, next } = await records.page(principal, pageSize, cursor).catch(refuseCursor);
		for (const document of documents) {
			if (document.status === "deleted") continue;
			if (!page.hasRoomFor(document)) return page.endedBefore();
			page.add(document);
		}
		cursor = next;
		if (cursor === undefined) return { documents: page.documents };
	}
	return { documents: page.documents, ...(cursor !== undefined && { next: cursor }) };
}

class PageBuilder {
	readonly documents: ChronicleDocument[] = [];
	readonly #query: ChronicleQuery;
	readonly #tags: readonly string[];
	readonly #isFiltered: boolean;
	#toSkip: number;
	#bytes = 0;
	#last: ChronicleDocument | undefined;

	constructor(query: ChronicleQuery) {
		this.#query = query;
		this.#tags = (query.tags ?? "").split(",").flatMap((tag) => tag.trim() || []);
		this.#isFiltered =
			this.#tags.length > 0 || [query.project, query.repo, query.model_name].some((one) => one !== undefined);
		this.#toSkip = query.offset;
	}

	/** Whether the page has room for one more chronicle; it always has for the first one. */
	hasRoomFor({ wire }: ChronicleDocument): boolean {
		if (this.documents.length === 0) return true;
		return this.documents.length < this.#query.limit && this.#bytes + Buffer.byteLength(wire) <= answerBytes;
	}

	/** Adds the chronicle if it matches the query. Its text is parsed only where a query asks for its members. */
	add(document: ChronicleDocument): void {
		this.#last = document;
		if ((this.#isFiltered && !this.#fits(chronicleOf(document))) || this.#toSkip-- > 0) return;
		this.documents.push(document);
		this.#bytes += Buffer.byteLength(document.wire) + 1;
	}

	/** Returns the page with a cursor behind the last chronicle that was read. */
	endedBefore(): FoundDocuments {
		const { documents } = this;
		const last = this.#last;
		return { documents, ...(last && { next: encodeCursor({ value: last.created_at ?? "", id: last.id }) }) };
	}

	#fits({ project, repo, model, tags }: Chronicle): boolean {
		const { project: wantedProject = project, repo: wantedRepo = repo, model_name = model } = this.#query;
		const isWanted = project === wantedProject && repo === wantedRepo && model === model_name;
		return isWanted && this.#tags.every((tag) => tags.includes(tag));
	}
}
