/** The documents of a store as sections of an archive, one for each collection, in the order of the ids. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { compileRule } from "#shared/base/schema/validator.ts";
import type { Collection } from "#shared/store/collection.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { checkDocument } from "#shared/store/column-rules.ts";
import { DuplicateKeyError, maxAppended, type OutboxEntry } from "#shared/store/port/documents.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreSnapshot, WholeDocument } from "#shared/store/port/lifecycle.ts";
import { ArchiveError, lineOf, sectionNames, type SectionSums } from "./archive-format.ts";
import type { ArchiveWriter } from "./archive-writer.ts";
import { RunningSums } from "./section-sums.ts";

/** The bytes of texts that are written at once. */
const batchBytes = 4 * 1024 * 1024;

/** Returns the collections that belong into an archive, in the order of their names. */
export function archivedCollections(collections: readonly Collection[]): Collection[] {
	return collections.filter(({ isTransient }) => !isTransient).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Writes the documents of a snapshot. @param onSection Told the count of each collection. */
export async function writeDocuments(
	writer: ArchiveWriter,
	snapshot: StoreSnapshot,
	collections: readonly Collection[],
	onSection: (collection: string, documents: number) => void,
): Promise<void> {
	for (const collection of archivedCollections(collections)) {
		writer.section(sectionNames.documents(collection.name));
		for await (const whole of snapshot.documents(collection)) await writer.entry(valueOf(whole));
		onSection(collection.name, writer.entries);
	}
}

/** Returns the sums that the documents of a collection would have in an archive. */
export async function sumsOf(snapshot: StoreSnapshot, collection: Collection): Promise<SectionSums> {
	const sums = new RunningSums();
	const section = sectionNames.documents(collection.name);
	for await (const whole of snapshot.documents(collection)) sums.add(lineOf(section, valueOf(whole)));
	return sums.end();
}

function valueOf({ document, events }: WholeDocument): unknown {
	const { id, wire, ...columns } = document;
	return { id, wire, columns, ...(events.length > 0 && { events }) };
}

const eventFailures = compileRule({
	type: "array",
	items: {
		type: "object",
		props: {
			n: { type: "number", integer: true },
			type: { type: "string" },
			data: { type: "string" },
			audience: { type: "object", props: { tenant: { type: "string" }, owner: { type: "string", optional: true } } },
			at: { type: "number", integer: true },
			counters: { type: "record", key: { type: "string" }, value: { type: "number", integer: true }, optional: true },
		},
	},
});

/** Checks the documents of an archive, and writes them into a store when there is one. */
export class DocumentLoader {
	readonly #collections: ReadonlyMap<string, Collection>;
	readonly #store: DocumentStore | undefined;
	#section = "";
	#lastId: Buffer | undefined;
	#batch: WholeDocument["document"][] = [];
	#batchBytes = 0;

	/** @param store The store, which is empty; undefined: the documents are only checked. */
	constructor(collections: readonly Collection[], store?: DocumentStore) {
		this.#collections = new Map(
			archivedCollections(collections).map((collection) => [sectionNames.documents(collection.name), collection]),
		);
		this.#store = store;
	}

	/** Whether the section has documents of a collection, known or not. */
	static isOf(section: string): boolean {
		return section.startsWith(sectionNames.documents(""));
	}

	/** @throws {ArchiveError} for a document that this release cannot have written. */
	async take(section: string, value: unknown): Promise<void> {
		if (section !== this.#section) await this.#begin(section);
		const collection = this.#collection();
		const { document, events } = this.#checked(collection, value);
		if (!this.#store) return;
		if (events.length > 0)
			return this.#store.insert(collection, document, events).catch((error: unknown) => {
				throw error instanceof DuplicateKeyError ? this.#clash(document.id, error.key) : error;
			});
		this.#batch.push(document);
		this.#batchBytes += document.wire.length;
		if (this.#batch.length >= maxAppended || this.#batchBytes >= batchBytes) await this.flush();
	}

	/** Writes what waits. */
	async flush(): Promise<void> {
		const batch = this.#batch;
		if (!this.#store || batch.length === 0) return;
		this.#batch = [];
		this.#batchBytes = 0;
		const { inserted, clash } = await this.#store.append(this.#collection(), batch);
		if (clash !== undefined) throw this.#clash(batch[inserted]?.id, clash);
		failpoint("restore.written");
	}

	async #begin(section: string): Promise<void> {
		await this.flush();
		this.#section = section;
		this.#lastId = undefined;
		this.#collection();
	}

	#collection(): Collection {
		const collection = this.#collections.get(this.#section);
		if (collection) return collection;
		throw new ArchiveError(`The archive has "${this.#section}", which this release does not know; use a newer one`);
	}

	#checked(collection: Collection, value: unknown): WholeDocument {
		const { id, wire, columns, events = [] } = isJsonObject(value) ? value : {};
		if (typeof id !== "string" || typeof wire !== "string" || !isJsonObject(columns))
			throw this.#refusal(id, "it has no id, text and columns");
		this.#inOrder(id);
		if (eventFailures(events).length > 0) throw this.#refusal(id, "its events are malformed");
		const document = { ...columns, id, wire } as WholeDocument["document"];
		this.#check(collection, document);
		return { document, events: events as OutboxEntry[] };
	}

	/** Ids grow, so none comes twice. */
	#inOrder(id: string): void {
		const key = Buffer.from(id);
		if (this.#lastId && Buffer.compare(this.#lastId, key) >= 0) throw this.#refusal(id, "it is out of order");
		this.#lastId = key;
	}

	#check(collection: Collection, document: WholeDocument["document"]): void {
		const { id, wire: _, ...columns } = document;
		const odd = Object.keys(columns).find((name) => !Object.hasOwn(collection.columns, name));
		if (odd !== undefined) throw this.#refusal(id, `this release does not know its column "${odd}"`);
		try {
			checkDocument(collection, document);
		} catch (error) {
			throw this.#refusal(id, error instanceof Error ? error.message : String(error));
		}
	}

	#clash(id: unknown, key: string): ArchiveError {
		return this.#refusal(id, `another document has the same "${key}"`);
	}

	#refusal(id: unknown, why: string): ArchiveError {
		const name = typeof id === "string" ? `"${id.slice(0, 200)}"` : "a document";
		return new ArchiveError(`Cannot use ${name} in "${this.#section}" of the archive: ${why}`);
	}
}
