/** The collections of chronicles: the text of each, its timeline, and chunks with the timeline's older entries. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

export const chronicleCollection = defineCollection(
	"chronicles",
	{
		tenant: "text",
		owner: "text",
		/** The session; absent when the session or the chronicle is deleted. */
		session: "text",
		/** The number of the chronicle among those of its session, from 1. */
		ordinal: "integer",
		/** The status: draft, complete or, for a tombstone, deleted. */
		status: "text",
		created_at: "text",
		/** The revision. It grows with every change and numbers the chronicle's events. */
		rev: "integer",
		parent: "text",
		/** The number of the newest applied report by launch. */
		acknowledged: "json",
		/** The LaunchSettings of the session when the chronicle began. */
		launch: "json",
		/** The time of the deletion in milliseconds since 1970; only in tombstones. */
		deleted_at: "integer",
	},
	{
		/** The index is unique, so that no session gets two drafts at once. */
		by_session: { columns: ["session", "ordinal"], unique: true },
		by_owner: { columns: ["tenant", "owner", "created_at"] },
		by_tenant: { columns: ["tenant", "created_at"] },
		by_parent: { columns: ["parent", "created_at"] },
		tombstones: { columns: ["deleted_at"] },
	},
	// Summaries tell of the work, so the log names the chronicle and not its contents.
	{ hasOutbox: true, audited: ["session_id", "status"] },
);

/** The timelines: one document per chronicle, with the chronicle's id. The text is a TimelineState (timeline-state.ts). */
export const timelineCollection = defineCollection(
	"timelines",
	{
		rev: "integer",
		/** The count of events that this timeline has emitted. */
		emitted: "integer",
	},
	{},
	{ hasOutbox: true, audited: [] },
);

/** The older entries of timelines; the text is a list of entries. */
export const timelineChunkCollection = defineCollection(
	"timeline_chunks",
	{ chronicle: "text", at: "integer" },
	{ of_chronicle: { columns: ["chronicle", "at"] } },
);

export type ChronicleDocument = Document<(typeof chronicleCollection)["columns"]>;
export type TimelineDocument = Document<(typeof timelineCollection)["columns"]>;
