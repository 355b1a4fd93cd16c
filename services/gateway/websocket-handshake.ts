/** The opening handshake of a WebSocket as the gateway reads it, before anybody upgrades anything (RFC 6455 section 4). */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { HttpError, notFound } from "./http-errors.ts";

const chatPath = /^\/s\/([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\/session$/;

/** A browser cannot set headers: its token comes as the name of a subprotocol (contract, behaviour 6.5). */
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

const badRequest = (detail: string): HttpError => new HttpError(400, detail);

/** Whether a request asks to leave HTTP at the place where it may; every other is answered as HTTP. */
export function isChatUpgrade({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): boolean {
	return headers.upgrade?.toLowerCase() === "websocket" && url.startsWith("/s/");
}

/**
 * Id of the session whose chat is asked for.
 * @throws {HttpError} 404, and 400 for a token in the URL: logs, histories and referrers keep those.
 */
export function sessionOf(url: string): string {
	const { pathname, query } = split(url);
	const id = chatPath.exec(pathname)?.[1];
	if (id === undefined) throw notFound;
	if (new URLSearchParams(query).has("access_token")) {
		throw badRequest("A token in a URL is kept in logs: send it as `Authorization` header or as subprotocol");
	}
	return id;
}

/** @throws {HttpError} 400, or 426 for another version. */
export function refuseBadHandshake({ method, httpVersion, headers }: IncomingMessage): void {
	const { "sec-websocket-key": key = "", "sec-websocket-version": version } = headers;
	if (method !== "GET" || httpVersion !== "1.1") throw badRequest("A WebSocket begins with GET in HTTP/1.1");
	if (!/^[+/\dA-Za-z]{22}==$/.test(key)) throw badRequest("The header Sec-WebSocket-Key is missing or wrong");
	if (version !== "13") {
		throw new HttpError(426, "WebSockets of version 13 are spoken here", ["Sec-WebSocket-Version", "13"]);
	}
	if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) {
		throw badRequest("A WebSocket's request has no body");
	}
}

/** The headers with the token that came as a subprotocol, unless there is one in its own header. */
export function withProtocolToken(headers: IncomingHttpHeaders): IncomingHttpHeaders {
	const token = protocolsOf(headers).find((name) => name.startsWith(tokenProtocol));
	if (headers.authorization !== undefined || token === undefined) return headers;
	const decoded = Buffer.from(token.slice(tokenProtocol.length), "base64url").toString("latin1");
	return { ...headers, authorization: `Bearer ${decoded}` };
}

function protocolsOf(headers: IncomingHttpHeaders): string[] {
	return (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
}

function split(url: string): { pathname: string; query: string } {
	const mark = url.indexOf("?");
	return mark === -1 ? { pathname: url, query: "" } : { pathname: url.slice(0, mark), query: url.slice(mark + 1) };
}
