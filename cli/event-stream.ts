/** Reads server-sent events (WHATWG HTML 9.2.6) from the bytes of a response body. */

export interface StreamEvent {
	/** `message` where the stream names none. */
	event: string;
	data: string;
	/** Last `id` the stream has sent up to this event; what a client sends as `Last-Event-ID` when it reconnects. */
	id: string;
}

/** A line longer than this is no event of ours. */
const maxLineLength = 4 * 1024 * 1024;

/** @throws {RangeError} when a line does not end. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent, void> {
	const parser = new EventParser();
	for await (const line of lines(body)) {
		const event = parser.take(line);
		if (event) yield event;
	}
}

/** Lines end with LF, CR LF or CR; a last line without an end is dropped, as the standard wants. */
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

	/** The event that this line completes; an empty line completes one that has data. */
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
