/** One HTTP answer, and how it is sent: every one carries the request id and the headers that keep browsers in bounds. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { after } from "#shared/clock.ts";

export interface Answer {
	readonly status: number;
	/** Absent: an answer without a body. */
	readonly body?: string | Buffer;
	/** Media type of the body; default `application/json`. */
	readonly type?: string;
	/** What a browser may load for it (Content-Security-Policy); default: nothing. */
	readonly policy?: string;
	/** Who may keep it (Cache-Control); default: nobody. */
	readonly caching?: string;
	/** Names and values in turn. */
	readonly headers?: readonly string[];
}

/** What is answered. */
export interface Answered {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** Of the request. */
	readonly id: string;
}

/** What a client has not yet sent when it is answered is thrown away for this long; then its connection goes. */
const leftoverMs = 1_000;

/** A shorter one leaves together with its headers, as one text. */
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
 * Sends the answer at the end of this turn of the event loop, unless one was sent already or nobody is there any more.
 * All answers of a turn leave together: a client that was woken for the first is awake for the rest, and waking it is
 * what costs most of a small answer.
 * @param instead What is sent when this cannot be: a status that is none, or a header with characters no header has.
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
	// A long text is encoded once, not for its length and for the socket.
	const content = typeof body === "string" && body.length >= longText ? Buffer.from(body) : body;
	if (answer.body !== undefined) head.push("Content-Type", type, "Content-Length", String(Buffer.byteLength(content)));
	response.writeHead(status, head).end(content);
	if (!request.complete) dropLeftover(request);
}

/** Cutting the connection at once would destroy the answer on its way; reading on without end would be a gift. */
function dropLeftover(request: IncomingMessage): void {
	request.resume();
	const cut = after(leftoverMs, () => request.destroy());
	request.once("close", () => cut.cancel());
}
