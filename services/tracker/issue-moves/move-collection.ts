/** The stored form of moves of issues, and of the place in the event log up to which moves were noted. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The text is an {@link IssueMove}. The id follows from the event, so that an event that is read twice is noted once. */
export const moveCollection = defineCollection(
	"tracker_moves",
	{
		tenant: "text",
		/** The person whose connection makes the move: the owner of the session. */
		owner: "text",
		session: "text",
		/** The issue; absent until the session was asked for it. */
		issue: "text",
		/** The {@link TrackerWish} of the mapping. */
		wish: "json",
		/** The time of the next try, or the end of the lease of a try under way; absent when there is none. */
		due_at: "integer",
		attempts: "integer",
		/** Grows with every write. */
		rev: "integer",
	},
	{ due: { columns: ["due_at"] }, by_session: { columns: ["tenant", "session"] } },
);

export type MoveDocument = Document<(typeof moveCollection)["columns"]>;

/** One document: the newest event of the log from which moves were noted. */
export const followedCollection = defineCollection("tracker_followed", { epoch: "text", seq: "integer" }, {});
