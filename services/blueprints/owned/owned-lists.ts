/** Reads pages of the profiles or presets of one person. */
import { answerBytes } from "#shared/base/answer-size.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { DocumentStore, Range } from "#shared/store/document-store.ts";
import {
	type FoundDocuments,
	type ListedDocument,
	readPage,
	type StoredPage,
	storedPage,
} from "#shared/store/pages/stored-page.ts";
import type { BlueprintDocument } from "./blueprint-collection.ts";
import { type BlueprintKind, type OwnedBlueprint, shownText } from "./blueprint-kind.ts";
import { DefaultChoices, type Defaults, type Owner } from "./default-choices.ts";

/** The filter of a list, the position of the page, and what the client has already. */
export interface OwnedQuery {
	readonly group?: string | undefined;
	/** Leaves only the defaults, or only the others. */
	readonly isDefault?: boolean | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
	/** The client's `If-None-Match`. */
	readonly known?: string | undefined;
}

/** The columns that a page needs; cursors are made from those of the order. */
const columns = ["rev", "grouping", "name", "updated_at"] as const;

/** The lists of one kind. */
export class OwnedLists<B extends OwnedBlueprint> {
	readonly #store: DocumentStore;
	readonly #kind: BlueprintKind<B>;
	readonly #defaults: DefaultChoices;

	constructor(store: DocumentStore, kind: BlueprintKind<B>) {
		this.#store = store;
		this.#kind = kind;
		this.#defaults = new DefaultChoices(store, kind.noun);
	}

	/** Returns a page in the order of the kind. @throws {BadRequestError} for a cursor that is not ours. */
	async list(owner: Owner, query: OwnedQuery): Promise<StoredPage> {
		const { limit, known, isDefault } = query;
		const defaults = await this.#defaults.read(owner);
		const page = async (): Promise<FoundDocuments> => shown(await this.#page(owner, query), defaults);
		if (isDefault !== undefined) return readPage(await filtered(page, isDefault), known);
		const versions = async (): Promise<string> => versionsWith(await this.#versions(owner, query), defaults);
		return storedPage({ page, versions }, limit, known).catch(refuseCursor);
	}

	#page(owner: Owner, { group, limit, cursor }: OwnedQuery) {
		const page = { ...this.#order, limit, columns, maxBytes: answerBytes, ...after(cursor) };
		return this.#store.find(this.#kind.collection, indexOf(group), rangeOf(owner, group), page);
	}

	#versions(owner: Owner, { group, limit, cursor }: OwnedQuery): Promise<string> {
		const page = { ...this.#order, limit: limit + 1, column: "rev", ...after(cursor) } as const;
		return this.#store.versions(this.#kind.collection, indexOf(group), rangeOf(owner, group), page);
	}

	/** Profiles are sorted by name; of presets, the last updated one comes first. */
	get #order() {
		return { descending: this.#kind.key === "id" };
	}
}

/**
 * Returns the documents as their owner sees them. The revision of a default is negative, so that the tag of a page
 * changes with the choice of a default, which does not change the documents.
 */
function shown({ documents, next }: { documents: readonly BlueprintDocument[]; next?: string }, defaults: Defaults) {
	const listed = documents.map(({ id, wire, rev = 0, grouping = "" }): ListedDocument => {
		const chosen = defaults.of(grouping) === id;
		return { id, wire: shownText(wire, chosen), rev: chosen ? -rev : rev };
	});
	return { documents: listed, ...(next !== undefined && { next }) };
}

/** Leaves only the defaults, or only the others; the page is therefore shorter than its limit. */
async function filtered(page: () => Promise<FoundDocuments>, wanted: boolean): Promise<FoundDocuments> {
	const { documents, next } = await page().catch(refuseCursor);
	const left = documents.filter(({ rev = 0 }) => rev < 0 === wanted);
	return { documents: left, ...(next !== undefined && { next }) };
}

/** Returns the lines of a page with the revisions that {@link shown} gives. */
function versionsWith(lines: string, defaults: Defaults): string {
	const chosen = new Set(defaults.ids);
	return lines
		.split("\n")
		.map((line) => {
			const [id = "", rev = ""] = line.split(":");
			return chosen.has(id) ? `${id}:-${rev}` : line;
		})
		.join("\n");
}

function indexOf(group: string | undefined): "listed" | "grouped" {
	return group === undefined ? "listed" : "grouped";
}

function rangeOf({ tenant, id }: Owner, group: string | undefined): Range {
	return { equals: group === undefined ? [tenant, id] : [tenant, id, group] };
}

function after(cursor: string | undefined): { after?: string } {
	return cursor === undefined ? {} : { after: cursor };
}
