/** The stored form of a timeline: totals, the newest entries, and references to chunks with older ones. Pure. */
import type { TimelineEntry } from "#shared/contracts/sessions/chronicles.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";
import { addEntry, noTotals, type RunningTotals } from "./timeline-totals.ts";

/** The most entries in the state itself; more are moved to a chunk. */
const maxTail = 100;
const maxTailBytes = 64 * 1024;
/** The most retained entries; with more, the oldest chunk is removed. */
const maxEntries = 2_000;
const maxBytes = 400 * 1024;

interface Chunk {
	readonly id: string;
	readonly entries: number;
	readonly bytes: number;
}

export interface TimelineState {
	readonly totals: RunningTotals;
	/** The chunks, the oldest first. */
	readonly chunks: readonly Chunk[];
	/** The entries newer than all chunks, the oldest first. */
	readonly tail: readonly TimelineEntry[];
	/** The number of the newest applied report by launch. */
	readonly acknowledged: Readonly<Record<string, number>>;
	readonly truncated: boolean;
}

export const noTimeline: TimelineState = { totals: noTotals, chunks: [], tail: [], acknowledged: {}, truncated: false };

/** Reads a stored state; undefined is an empty one. */
export function readState(wire: string | undefined): TimelineState {
	return wire === undefined ? noTimeline : JSON.parse(wire);
}

export interface TimelineChange {
	readonly state: TimelineState;
	/** The chunk to write before the state. */
	readonly written?: { readonly chunk: Chunk; readonly entries: readonly TimelineEntry[] };
	/** The chunks to remove after the state was written. */
	readonly dropped: readonly Chunk[];
}

/** Returns the state with one more entry. @param at The time at which it is stored, in ISO 8601. */
export function withEntry(state: TimelineState, entry: TimelineEntry, at: string): TimelineState {
	return { ...state, totals: addEntry(state.totals, entry, at), tail: [...state.tail, entry] };
}

/** Returns the state within its bounds, with the writes for it. @param chunkId The id of a new chunk, if one is needed. */
export function withinBounds(state: TimelineState, chunkId: string): TimelineChange {
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
