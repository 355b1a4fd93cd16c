/** The live stream of events. Served with the raw response by the stream module of every gateway process. */
import { defineContract } from "../bus/contract.ts";

export const stream = defineContract("stream", {
	open: {
		rest: "GET /sessions/stream",
		summary: "Server-sent events of everything the caller may see",
		params: {},
		returns: { type: "any" },
		produces: "text/event-stream",
		errors: [503],
	},
});
