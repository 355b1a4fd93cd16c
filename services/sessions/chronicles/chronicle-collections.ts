/** How chronicles are stored: each one's text, its timeline beside it, and the older entries of that in chunks. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

export const chronicleCollection = defineCollection(
	"chronicles",
	{
		tenant: "text",
		owner: "text",
		/** Absent when its session, or the chronicle itself, is deleted. */
		session: "text",
		/** Counts the chronicles of a session from 1. */
		ordinal: "integer",
		/** draft, complete or, for a tombstone, deleted. */
		status: "text",
		created_at: "text",
		/** Grows with every change; also numbers its events. */
		rev: "integer",
		/** Its parent's id. */
		parent: "text",
		/** By launch: the number of the newest report whose words are in it. */
		acknowledged: "json",
		/** LaunchSettings of the session when it began. */
		launch: "json",
		/** Milliseconds since 1970; a tombstone has it. */
		deleted_at: "integer",
	},
	{
		/** Unique, so that no session gets two drafts at once. */
		by_session: { columns: ["session", "ordinal"], unique: true },
		by_owner: { columns: ["tenant", "owner", "created_at"] },
		by_tenant: { columns: ["tenant", "created_at"] },
		by_parent: { columns: ["parent", "created_at"] },
		tombstones: { columns: ["deleted_at"] },
	},
	{ hasOutbox: true },
);

/** One document a chronicle, under the chronicle's id. The text is TimelineState (timeline-state.ts). */
export const timelineCollection = defineCollection(
	"timelines",
	{
		/** Grows with every change. */
		rev: "integer",
		/** Number of events this timeline has emitted. */
		emitted: "integer",
	},
	{},
	{ hasOutbox: true },
);

/** The text is a list of entries. */
export const timelineChunkCollection = defineCollection(
	"timeline_chunks",
	{ chronicle: "text", at: "integer" },
	{ of_chronicle: { columns: ["chronicle", "at"] } },
);

export type ChronicleDocument = Document<(typeof chronicleCollection)["columns"]>;
export type TimelineDocument = Document<(typeof timelineCollection)["columns"]>;
