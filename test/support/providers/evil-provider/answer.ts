/** The answers of providers as values, and how they are written to a connection byte by byte. */
import type { Socket } from "node:net";

/** An answer of a provider, as its honest server gives it. */
export interface Answer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** Headers that say how the answer came, and that are made anew for each connection. */
const framing = new Set([
	"connection",
	"content-encoding",
	"content-length",
	"date",
	"keep-alive",
	"transfer-encoding",
]);

/** Returns the headers that say something about the answer itself. */
export function ownHeaders(headers: Headers): Record<string, string> {
	return Object.fromEntries([...headers].filter(([name]) => !framing.has(name)));
}

/** Returns an answer with a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
	return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** Returns the head of an answer, with the empty line behind it. @param headers Names and values as they shall be sent. */
export function headOf(status: number, headers: Readonly<Record<string, string>>): string {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	return `HTTP/1.1 ${status} Whatever\r\n${lines.join("")}\r\n`;
}

/** Writes the same bytes for as long as the other side reads them. @param bytes The most bytes. */
export function pour(socket: Socket, chunk: Buffer, bytes = Number.POSITIVE_INFINITY): void {
	let left = bytes;
	const more = () => {
		while (left > 0 && !socket.destroyed) {
			left -= chunk.byteLength;
			if (!socket.write(chunk)) return;
		}
		if (left <= 0) socket.end();
	};
	socket.on("drain", more);
	more();
}

/** Writes one text after another, each after the same time. The timer ends with the connection. */
export function drip(socket: Socket, texts: Iterable<string>, everyMs: number): void {
	const left = texts[Symbol.iterator]();
	const timer = setInterval(() => {
		const { value, done } = left.next();
		if (done === true || socket.destroyed) clearInterval(timer);
		else socket.write(value);
	}, everyMs);
	socket.on("close", () => clearInterval(timer));
}
