/** Sends HTTP answers. Every answer has the request id and headers that restrict what browsers do with it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { after } from "#shared/base/clock.ts";

/** An answer without the headers that `send` gives to all of them. */
export interface Answer {
	readonly status: number;
	/** The body; absent: the answer has none. */
	readonly body?: string | Buffer;
	/** Media type of the body; default `application/json`. */
	readonly type?: string;
	/** The content that a browser may load for the answer (Content-Security-Policy); default: nothing. */
	readonly policy?: string;
	/** The `Cache-Control` header; default: nobody may store the answer. */
	readonly caching?: string;
	/** Further headers: alternating names and values. */
	readonly headers?: readonly string[];
}

interface Answered {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** The id of the request. */
	readonly id: string;
}

/**
 * How long the unread rest of a request is discarded after the answer before the connection is closed, in milliseconds.
 */
const leftoverMs = 1_000;

/** Bodies below this length are sent together with their headers, as one text. */
const longText = 65_536;

const protective: readonly string[] = [
	"X-Content-Type-Options",
	"nosniff",
	"Cross-Origin-Resource-Policy",
	"same-origin",
	"Referrer-Policy",
	"no-referrer",
];

const nothing = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sends the answer at the end of this turn of the event loop, unless one was sent already or the client has gone. All
 * answers of a turn are sent together, because waking the client costs most of a small answer, and a client that was
 * woken for the first one is awake for the rest.
 * @param instead Makes the answer that is sent when this one is invalid: an impossible status, or a header with
 * forbidden characters.
 */
export function send({ request, response, id }: Answered, answer: Answer, instead: (error: unknown) => Answer): void {
	setImmediate(() => {
		if (response.headersSent || response.destroyed) return;
		try {
			write({ request, response, id }, answer);
		} catch (error) {
			write({ request, response, id }, instead(error));
		}
	});
}

function write({ request, response, id }: Answered, answer: Answer): void {
	const { status, body = "", type = "application/json", policy = nothing, caching = "no-store", headers = [] } = answer;
	const own = ["X-Request-ID", id, "Cache-Control", caching, "Content-Security-Policy", policy];
	const head = [...own, ...protective, ...headers];
	// A long text is encoded once instead of once for its length and once for the socket.
	const content = typeof body === "string" && body.length >= longText ? Buffer.from(body) : body;
	if (answer.body !== undefined) head.push("Content-Type", type, "Content-Length", String(Buffer.byteLength(content)));
	response.writeHead(status, head).end(content);
	if (!request.complete) dropLeftover(request);
}

/**
 * Discards the rest of the request for a while: closing the connection at once would destroy the answer on its way, and
 * reading without a limit would let the client occupy the connection.
 */
function dropLeftover(request: IncomingMessage): void {
	request.resume();
	const cut = after(leftoverMs, () => request.destroy());
	request.once("close", () => cut.cancel());
}
