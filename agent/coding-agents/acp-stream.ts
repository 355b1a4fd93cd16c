/** The Agent Client Protocol's transport: one JSON message per line on the standard input and output of the agent. */
import { type Readable, Writable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";

/** An agent that sends more in one message is given up. */
const maxMessageBytes = 32 * 1_048_576;

export function acpStream(output: Writable, input: Readable): Stream {
	const bytes = new ReadableStream<Uint8Array>({
		start(controller) {
			input.on("data", (chunk: Buffer) => controller.enqueue(chunk));
			input.once("close", () => controller.close());
			// Followed by `close`.
			input.on("error", () => {});
		},
	});
	return ndJsonStream(Writable.toWeb(output), bytes, { maxMessageBytes });
}
