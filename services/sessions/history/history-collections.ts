/** How the history of sessions is stored: which reports were acknowledged, and the chunks of it. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** One document a session, under the session's id. */
export const historyCollection = defineCollection(
	"session_history",
	{
		/** Grows with every report that was taken. */
		rev: "integer",
		/** By launch: the number of its newest report. */
		acknowledged: "json",
		/** Log lines that ever came. */
		lines: "integer",
		/** Turns that ever came. */
		turns: "integer",
		/** Bytes of the turns that are kept, or somewhat more. */
		turn_bytes: "integer",
		/** `{id, truncated}` of the newest patch. */
		patch: "json",
	},
	{},
);

/** The text is a part of an entry: some log lines, one turn or one piece of a patch. */
export const historyChunkCollection = defineCollection(
	"session_history_chunks",
	{
		session: "text",
		/** log, turn or patch. */
		kind: "text",
		/** Order within session and kind; of log lines the number of the last one. */
		at: "integer",
		/** Names the entry within session and kind. */
		entry: "text",
		/** Counts the chunks of an entry from 0. */
		piece: "integer",
		/** How many chunks the entry has. */
		pieces: "integer",
		bytes: "integer",
	},
	{ in_order: { columns: ["session", "kind", "at"] } },
);

export type HistoryDocument = Document<(typeof historyCollection)["columns"]>;
export type HistoryChunk = Document<(typeof historyChunkCollection)["columns"]>;
