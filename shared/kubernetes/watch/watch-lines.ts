/** Reads the events of a watch: a JSON object a line. */
import { noAnswer } from "../api/api-error.ts";
import type { WatchEvent } from "../api/kube-object.ts";

/** An event has one object. etcd keeps 1.5 MB of it, and JSON has six characters for some of one byte. */
const maxLineBytes = 16_777_216;
const lineEnd = 0x0a;

/**
 * Reads the events to the end of the stream. @param onBytes Called for each chunk, before its events.
 * @throws {ApiError} `AnswerUnreadable` for a line that is no event, or that the end has cut; the stream's own error.
 */
export async function* watchEvents(chunks: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<WatchEvent> {
	let begun: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of chunks) {
		onBytes();
		let from = 0;
		for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, from)) {
			const line = Buffer.concat([...begun, chunk.subarray(from, end)]);
			begun = [];
			bytes = 0;
			from = end + 1;
			if (line.length > 0) yield eventOf(line);
		}
		bytes += chunk.length - from;
		if (bytes > maxLineBytes) throw noAnswer("AnswerTooLarge", "The cluster's API has sent an event that is too long");
		if (from < chunk.length) begun.push(chunk.subarray(from));
	}
	if (bytes > 0) throw noAnswer("AnswerUnreadable", "The cluster's API has ended a watch within an event");
}

function eventOf(line: Buffer): WatchEvent {
	try {
		const event: unknown = JSON.parse(line.toString("utf8"));
		if (event instanceof Object) return event;
	} catch {
		// The parser's sentence quotes the line.
	}
	throw noAnswer("AnswerUnreadable", "The cluster's API has sent an event that is no JSON object");
}
