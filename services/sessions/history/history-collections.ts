/** The collections of the history of sessions: the acknowledged reports, and chunks with the content. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

export const historyCollection = defineCollection(
	"session_history",
	{
		rev: "integer",
		/** The number of the newest report by launch. */
		acknowledged: "json",
		/** The count of all log lines ever received. */
		lines: "integer",
		/** The bytes of the retained log lines; an upper bound. */
		log_bytes: "integer",
		/** The count of all turns ever received. */
		turns: "integer",
		/** The bytes of the retained turns; an upper bound. */
		turn_bytes: "integer",
		/** The members `{id, truncated}` of the newest patch, and in `branch` those of the one against the default branch. */
		patch: "json",
	},
	{},
);

/** The chunks; the text is a part of an entry: some log lines, one turn or one piece of a patch. */
export const historyChunkCollection = defineCollection(
	"session_history_chunks",
	{
		session: "text",
		/** The kind of the entry: log, turn or patch. */
		kind: "text",
		/** The order within session and kind; for log lines, the number of the last one. */
		at: "integer",
		/** The name of the entry within session and kind. */
		entry: "text",
		/** The number of the chunk within its entry, from 0. */
		piece: "integer",
		pieces: "integer",
		bytes: "integer",
	},
	{ in_order: { columns: ["session", "kind", "at"] } },
);

export type HistoryDocument = Document<(typeof historyCollection)["columns"]>;
export type HistoryChunk = Document<(typeof historyChunkCollection)["columns"]>;
