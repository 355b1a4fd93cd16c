/** Reads pages of saved prompts, last updated first. Everybody of a tenant reads all prompts of the tenant. */
import type { Principal } from "#shared/base/principal.ts";
import type { PromptScope } from "#shared/contracts/blueprints/prompts.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { mergedPage } from "#shared/store/pages/merged-page.ts";
import { readPage, type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
import { foldedText } from "./folded-text.ts";
import { promptCollection } from "./prompt-collection.ts";

/** The position of a page and what the client has already. */
export interface PromptPage {
	readonly limit: number;
	readonly cursor?: string | undefined;
	/** The client's `If-None-Match`. */
	readonly known?: string | undefined;
}

/** The filter of a list. A repository leaves the global prompts and its own ones. */
export interface PromptQuery extends PromptPage {
	readonly scope?: PromptScope | undefined;
	readonly repo?: string | undefined;
}

/** The columns that a page needs; the searchable texts are not read. */
const columns = ["rev", "updated_at"] as const;

/** The lists of saved prompts. */
export class PromptLists {
	readonly #store: DocumentStore;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/** Returns a page of prompts. @throws {BadRequestError} for a cursor that is not ours. */
	async list({ tenant }: Principal, query: PromptQuery): Promise<StoredPage> {
		const { scope, repo, limit, cursor, known } = query;
		const place =
			repo === undefined ? undefined : ({ index: "by_repo", equals: [tenant, repositoryKey(repo)] } as const);
		const ofScope = (wanted: PromptScope) => ({ index: "by_scope", equals: [tenant, wanted] }) as const;
		if (place && scope === undefined) {
			const pages = [this.#page(ofScope("global"), limit, cursor), this.#page(place, limit, cursor)];
			const found = await Promise.all(pages).catch(refuseCursor);
			return readPage(
				mergedPage(found, ({ updated_at = "" }) => updated_at, limit),
				known,
			);
		}
		const range = scope === undefined ? ({ index: "by_tenant", equals: [tenant] } as const) : ofScope(scope);
		const one = place && scope === "project" ? place : range;
		const list = { page: () => this.#page(one, limit, cursor), versions: () => this.#versions(one, limit, cursor) };
		return storedPage(list, limit, known).catch(refuseCursor);
	}

	/** Returns a page of the prompts that contain the text, in any case. @throws {BadRequestError} as `list`. */
	async search({ tenant }: Principal, text: string, { limit, cursor, known }: PromptPage): Promise<StoredPage> {
		const page = { text: foldedText(text), limit, columns, maxBytes: answerBytes, ...after(cursor) };
		return readPage(await this.#store.search(promptCollection, { equals: [tenant] }, page).catch(refuseCursor), known);
	}

	#page({ index, equals }: PromptRange, limit: number, cursor: string | undefined) {
		const page = { limit, columns, maxBytes: answerBytes, descending: true, ...after(cursor) };
		return this.#store.find(promptCollection, index, { equals }, page);
	}

	#versions({ index, equals }: PromptRange, limit: number, cursor: string | undefined) {
		const page = { limit: limit + 1, column: "rev", descending: true, ...after(cursor) } as const;
		return this.#store.versions(promptCollection, index, { equals }, page);
	}
}

interface PromptRange {
	readonly index: "by_tenant" | "by_scope" | "by_repo";
	readonly equals: readonly string[];
}

function after(cursor: string | undefined): { after?: string } {
	return cursor === undefined ? {} : { after: cursor };
}
