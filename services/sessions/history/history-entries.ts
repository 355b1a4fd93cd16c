/** Stores texts of any length in chunks of at most 256 KB, ordered within session and kind. */
import type { Documents } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { removeAll } from "#shared/store/remove-first.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { type HistoryChunk, historyChunkCollection } from "./history-collections.ts";

export const kinds = ["log", "turn", "patch"] as const;
type Kind = (typeof kinds)[number];

export const maxChunkBytes = 256 * 1024;
/** Texts of this length always fit into a chunk, because a UTF-16 unit has at most three bytes in UTF-8. */
const safeLength = Math.floor(maxChunkBytes / 3);
/** The most chunks in memory at a time. */
const pageSize = 20;

export interface Entry {
	/** The name of the entry within session and kind. */
	readonly name: string;
	readonly at: number;
	readonly text: string;
}

export class HistoryEntries {
	readonly #store: Documents;

	constructor(store: Documents) {
		this.#store = store;
	}

	/** Stores an entry; an existing one is unchanged. */
	async put(session: string, kind: Kind, entry: Entry): Promise<void> {
		for (const chunk of chunksOf(session, kind, entry))
			await insertOnce(() => this.#store.insert(historyChunkCollection, chunk));
	}

	async has(session: string, kind: Kind, name: string): Promise<boolean> {
		return (await this.#first(session, kind, name)) !== undefined;
	}

	/**
	 * Returns complete entries, the newest first, until more than `enough` bytes were read.
	 * @param upTo The name of the newest wanted entry; nothing is returned when it is unknown.
	 */
	async newest(session: string, kind: Kind, enough = Infinity, upTo?: string): Promise<Entry[]> {
		const last = upTo === undefined ? undefined : await this.#first(session, kind, upTo);
		if (upTo !== undefined && !last) return [];
		const chunks: HistoryChunk[] = [];
		let bytes = 0;
		for await (const chunk of this.#descending(session, kind, last?.at)) {
			chunks.push(chunk);
			bytes += chunk.bytes ?? 0;
			// The chunks of an entry are adjacent, the first one last.
			if (bytes > enough && chunk.piece === 0) break;
		}
		return wholeEntries(chunks);
	}

	/**
	 * Removes the oldest entries of a kind beyond so many bytes, the newest entry never. Resolves to the bytes that remain.
	 */
	async keepNewest(session: string, kind: Kind, most: number): Promise<number> {
		const newest = await this.newest(session, kind, most);
		const bytes = newest.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
		const oldest = newest.at(-1);
		if (!oldest || bytes <= most || newest.length === 1) return bytes;
		await this.removeUpTo(session, kind, oldest.at);
		return bytes - Buffer.byteLength(oldest.text);
	}

	/** Replaces the text of an entry by one that fits into one chunk. */
	async replace(session: string, kind: Kind, entry: Entry): Promise<void> {
		const [chunk, ...more] = chunksOf(session, kind, entry);
		if (!chunk || more.length > 0) throw new RangeError("Cannot replace an entry by one of more than a chunk");
		const { wire, bytes = 0 } = chunk;
		const before = await this.#store.get(historyChunkCollection, chunk.id);
		// The new first chunk makes the others meaningless, so an interruption at this point does no harm.
		await this.#store.update(historyChunkCollection, chunk.id, {}, { wire, set: { bytes, pieces: 1 } });
		await this.#removeChunks(session, kind, entry.name, { from: 1, to: before?.pieces ?? 1 });
	}

	async remove(session: string, kind: Kind, name: string): Promise<void> {
		const first = await this.#first(session, kind, name);
		await this.#removeChunks(session, kind, name, { from: 0, to: first?.pieces ?? 1 });
	}

	async removeAll(session: string): Promise<void> {
		for (const kind of kinds) await this.removeUpTo(session, kind, Number.MAX_SAFE_INTEGER);
	}

	/** Removes the entries of a kind up to the position `to`. */
	async removeUpTo(session: string, kind: Kind, to: number): Promise<void> {
		await removeAll(this.#store, historyChunkCollection, "in_order", { equals: [session, kind], to });
	}

	#first(session: string, kind: Kind, name: string): Promise<HistoryChunk | undefined> {
		return this.#store.get(historyChunkCollection, chunkId(session, kind, name, 0));
	}

	async #removeChunks(session: string, kind: Kind, name: string, { from, to }: { from: number; to: number }) {
		for (let piece = to - 1; piece >= from; piece--)
			await this.#store.remove(historyChunkCollection, chunkId(session, kind, name, piece), {});
	}

	async *#descending(session: string, kind: Kind, to?: number): AsyncGenerator<HistoryChunk> {
		const range = { equals: [session, kind], ...(to !== undefined && { to }) };
		const page = { ...range, limit: pageSize, descending: true };
		for await (const chunks of readPages(this.#store, historyChunkCollection, "in_order", page)) yield* chunks;
	}
}

function chunksOf(session: string, kind: Kind, { name, at, text }: Entry): HistoryChunk[] {
	const texts = Buffer.byteLength(text) <= maxChunkBytes ? [text] : split(text);
	return texts.map((wire, piece) => ({
		id: chunkId(session, kind, name, piece),
		wire,
		session,
		kind,
		at,
		entry: name,
		piece,
		pieces: texts.length,
		bytes: Buffer.byteLength(wire),
	}));
}

function split(text: string): string[] {
	const parts: string[] = [];
	for (let from = 0; from < text.length; ) {
		const isInsidePair = /[\uD800-\uDBFF]/.test(text.charAt(from + safeLength - 1));
		const to = from + safeLength - (isInsidePair ? 1 : 0);
		parts.push(text.slice(from, to));
		from = to;
	}
	return parts;
}

/** Makes an id that sorts the chunks of an entry, because equal positions are ordered by id. */
function chunkId(session: string, kind: Kind, name: string, piece: number): string {
	return `${session}:${kind}:${name}:${String(piece).padStart(3, "0")}`;
}

/** Joins chunks to entries. @param chunks The chunks from the last to the first. An incomplete entry is omitted. */
function wholeEntries(chunks: readonly HistoryChunk[]): Entry[] {
	const entries: Entry[] = [];
	let parts: string[] = [];
	let name = "";
	for (const { entry = "", at = 0, piece = 0, pieces = 1, wire } of chunks) {
		// An entry that was shortened may have chunks behind its end, which are ignored.
		if (entry !== name || piece === pieces - 1) parts = [];
		name = entry;
		parts.unshift(wire);
		if (piece === 0 && parts.length === pieces) entries.push({ name, at, text: parts.join("") });
	}
	return entries;
}
