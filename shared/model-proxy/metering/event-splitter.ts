/** Cuts a stream of server-sent events (WHATWG HTML 9.2, with LF or CRLF) into events, byte for byte. */

/** A longer event is passed on in pieces that are not parsed, so that memory stays bounded. */
const defaultMaxBytes = 16_777_216;

const lineFeed = 10;
const carriageReturn = 13;

/** An event, or a part of one. */
export interface EventPiece {
	bytes: Buffer;
	/** The value is false for a part of an event that is too long. */
	isWhole: boolean;
}

export class EventSplitter {
	readonly #maxBytes: number;
	#held: Buffer[] = [];
	#heldBytes = 0;
	/** Whether the current line has any character but a carriage return. */
	#hasText = false;
	/** Whether a part of the current event was already returned. */
	#isCut = false;

	constructor(maxBytes = defaultMaxBytes) {
		this.#maxBytes = maxBytes;
	}

	/** Returns the events that are complete after these bytes, each with its blank line. */
	push(chunk: Buffer): EventPiece[] {
		const pieces: EventPiece[] = [];
		let start = 0;
		let line = 0;
		for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, line)) {
			if (!this.#hasText && isBlank(chunk, line, at)) {
				pieces.push(this.#take(chunk.subarray(start, at + 1)));
				start = at + 1;
			}
			this.#hasText = false;
			line = at + 1;
		}
		this.#hasText ||= !isBlank(chunk, line, chunk.length);
		this.#hold(chunk.subarray(start));
		if (this.#heldBytes <= this.#maxBytes) return pieces;
		this.#isCut = true;
		return [...pieces, { bytes: this.#release(), isWhole: false }];
	}

	/** Returns what came after the last blank line, at the end of the stream. */
	end(): EventPiece[] {
		return this.#heldBytes > 0 ? [this.#take(Buffer.alloc(0))] : [];
	}

	#take(rest: Buffer): EventPiece {
		this.#hold(rest);
		const isWhole = !this.#isCut;
		this.#isCut = false;
		return { bytes: this.#release(), isWhole };
	}

	#hold(bytes: Buffer): void {
		if (bytes.length === 0) return;
		this.#held.push(bytes);
		this.#heldBytes += bytes.length;
	}

	/** Returns the bytes that are held, and forgets them. */
	#release(): Buffer {
		const [first = Buffer.alloc(0), ...more] = this.#held;
		this.#held = [];
		this.#heldBytes = 0;
		return more.length === 0 ? first : Buffer.concat([first, ...more]);
	}
}

/** Returns the text of an event's data, with its lines joined; empty when it has none. */
export function eventData(event: Buffer): string {
	return event
		.toString("utf8")
		.split(/\r?\n/)
		.filter((line) => line.startsWith("data:"))
		.map((line) => line.slice(line[5] === " " ? 6 : 5))
		.join("\n");
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
	return end === start || (end === start + 1 && bytes[start] === carriageReturn);
}
