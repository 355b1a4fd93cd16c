/** A program: the platform's own stream behind its own gateway, over a log in memory. It logs as many events as it is told. */
import { streamPath, startStream } from "../test/support/platform/start-stream.ts";
import { eventText } from "./event-text.ts";
import { report } from "./program.ts";

const stream = await startStream();
/** More than any reader is behind. */
const kept = 10_000;

process.on("message", ({ events }: { events: number }) => {
	const made = Array.from({ length: events }, () => ({
		type: "session_updated",
		data: eventText(),
		tenant: "default",
	}));
	stream.log.append(...made);
	if (stream.log.seq % 1_000 < events) stream.log.dropUpTo(Math.max(0, stream.log.seq - kept));
});
report({ port: stream.gateway.port, path: streamPath });
