/** A timeline as it is stored: what its entries come to, the newest entries, and where the older ones are. Pure. */
import type { TimelineEntry } from "#shared/contracts/chronicles.ts";
import { jsonBytes } from "#shared/pod/answer-size.ts";
import { addEntry, noTotals, type RunningTotals } from "./timeline-totals.ts";

/** Entries beside the state; with more, they go to a chunk. */
const maxTail = 100;
const maxTailBytes = 64 * 1024;
/** Of the entries that are kept; with more, the oldest chunk goes. */
const maxEntries = 2_000;
const maxBytes = 400 * 1024;

export interface Chunk {
	readonly id: string;
	readonly entries: number;
	readonly bytes: number;
}

export interface TimelineState {
	readonly totals: RunningTotals;
	/** Oldest first. */
	readonly chunks: readonly Chunk[];
	/** Newer than any chunk, oldest first. */
	readonly tail: readonly TimelineEntry[];
	/** By launch: the number of the newest report whose entries are in it. */
	readonly acknowledged: Readonly<Record<string, number>>;
	/** The oldest entries are not kept any more. */
	readonly truncated: boolean;
}

export const noTimeline: TimelineState = { totals: noTotals, chunks: [], tail: [], acknowledged: {}, truncated: false };

/** What a change of a timeline asks of the store. */
export interface TimelineChange {
	readonly state: TimelineState;
	/** To be written before the state. */
	readonly written?: { readonly chunk: Chunk; readonly entries: readonly TimelineEntry[] };
	/** To be removed after it. */
	readonly dropped: readonly Chunk[];
}

/**
 * The state with one more entry.
 * @param at When it is stored, in ISO 8601.
 */
export function withEntry(state: TimelineState, entry: TimelineEntry, at: string): TimelineState {
	return { ...state, totals: addEntry(state.totals, entry, at), tail: [...state.tail, entry] };
}

/** Within bounds. @param chunkId Names the chunk that may come of it. */
export function settled(state: TimelineState, chunkId: string): TimelineChange {
	const bytes = jsonBytes(state.tail);
	if (state.tail.length <= maxTail && bytes <= maxTailBytes) return { state, dropped: [] };
	const chunk: Chunk = { id: chunkId, entries: state.tail.length, bytes };
	const chunks = [...state.chunks, chunk];
	const dropped: Chunk[] = [];
	while (chunks.length > 1 && isTooMuch(chunks)) dropped.push(...chunks.splice(0, 1));
	return {
		state: { ...state, chunks, tail: [], truncated: state.truncated || dropped.length > 0 },
		written: { chunk, entries: state.tail },
		dropped,
	};
}

function isTooMuch(chunks: readonly Chunk[]): boolean {
	const sum = (member: "entries" | "bytes"): number => chunks.reduce((total, chunk) => total + chunk[member], 0);
	return sum("entries") > maxEntries - maxTail || sum("bytes") > maxBytes;
}
