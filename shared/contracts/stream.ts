/**
 * The contract of the live stream of events. The stream module of every gateway process serves it with the raw
 * response.
 */
import { defineContract } from "./contract.ts";

/** The events that clients may see, with their causes. Any other name is refused. */
export const streamEvents = {
	session_created: "A session was created; the session",
	session_updated: "Something clients can see of a session has changed; the session",
	session_deleted: "A session was deleted; its id",
	session_activity: "The agent of a session has something else to do",
	chronicle_created: "A chronicle was begun; its id, session and status",
	chronicle_updated: "A chronicle has changed; its id, session and status",
	chronicle_deleted: "A chronicle was deleted; its id, session and status",
	chronicle_event: "Something happened in a session; the timeline's entry, and what its entries come to",
	pr_created: "A pull request was opened from a session; its number and URL",
	pr_merged: "A pull request was merged; its number, and how it was merged",
	stats_updated: "Every heartbeat; the numbers of `GET /stats`",
	heartbeat: "Time has passed; carries the newest id",
	reset: "What was missed cannot be told any more; the present state follows",
	bye: "This process ends; connect again",
} as const;
export type StreamEventName = keyof typeof streamEvents;

export const resetReasons = ["expired", "epoch", "ahead"] as const;
export type ResetReason = (typeof resetReasons)[number];

export const stream = defineContract("stream", {
	open: {
		rest: "GET /sessions/stream",
		summary: "Server-sent events of everything the caller may see",
		description: "The answer does not end; the page `/docs` shows what comes within five seconds.",
		params: {},
		returns: { type: "any" },
		produces: "text/event-stream",
		errors: [503],
	},
});
