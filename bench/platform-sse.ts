/**
 * A program with the platform's own stream behind its own gateway, over a log in memory. It logs the requested number
 * of events.
 */
import { streamPath, startStream } from "../test/support/platform/start-stream.ts";
import { eventText } from "./event-text.ts";
import { report } from "./program.ts";

const stream = await startStream();
/** The retained events, more than any reader is behind. */
const retained = 10_000;

process.on("message", ({ events }: { events: number }) => {
	const made = Array.from({ length: events }, () => ({
		type: "session_updated",
		data: eventText(),
		tenant: "default",
	}));
	stream.log.append(...made);
	if (stream.log.seq % 1_000 < events) stream.log.dropUpTo(Math.max(0, stream.log.seq - retained));
});
report({ port: stream.gateway.port, path: streamPath });
