/** Reads server-sent events (WHATWG HTML 9.2.6) from the bytes of a response body. */

export interface StreamEvent {
	/** The name of the event; `message` when the stream names none. */
	event: string;
	data: string;
	/** The last `id` up to this event, which a client sends as `Last-Event-ID` when it reconnects. */
	id: string;
}

/** The most characters of a line; events of the platform are shorter. */
const maxLineLength = 4 * 1024 * 1024;

/** Yields the events of a body. @throws {RangeError} when a line is too long. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent, void> {
	const parser = new EventParser();
	for await (const line of lines(body)) {
		const event = parser.take(line);
		if (event) yield event;
	}
}

/** Yields lines, which end with LF, CR LF or CR. A last line without an end is dropped, as the standard requires. */
async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of body) {
		rest += decoder.decode(chunk, { stream: true });
		const parts = rest.split(/\r\n|\n|\r(?!$)/);
		rest = parts.pop() ?? "";
		yield* parts;
		if (rest.length > maxLineLength) throw new RangeError("Cannot read the event stream: a line does not end");
	}
}

class EventParser {
	#event = "";
	#data: string[] = [];
	#id = "";

	/** Takes a line; returns the event that it completes. An empty line completes an event with data. */
	take(line: string): StreamEvent | undefined {
		if (line === "") return this.#complete();
		const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
		if (field === "event") this.#event = value;
		if (field === "data") this.#data.push(value);
		if (field === "id" && !value.includes("\0")) this.#id = value;
		return undefined;
	}

	#complete(): StreamEvent | undefined {
		const event = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id };
		const hasData = this.#data.length > 0;
		this.#event = "";
		this.#data = [];
		return hasData ? event : undefined;
	}
}
