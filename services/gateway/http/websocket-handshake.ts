/** Reads the opening handshake of a WebSocket before the connection is upgraded (RFC 6455 section 4). */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { tokenSubprotocol } from "#shared/contracts/chat-subprotocols.ts";
import { headerList } from "#shared/base/headers/header-list.ts";
import { HttpError, unknownPath } from "./http-errors.ts";
import { urlParts } from "./url-parts.ts";

const chatPath = /^\/s\/([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\/session$/;

const noChat = unknownPath('A chat has the path "/s/<id of the session>/session", and ids are UUIDs in lower case');

const badRequest = (detail: string): HttpError => new HttpError(400, detail);

/** Whether a request asks for a WebSocket at the path of a chat; every other request is answered as HTTP. */
export function isChatUpgrade({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): boolean {
	return headers.upgrade?.toLowerCase() === "websocket" && url.startsWith("/s/");
}

/** Returns the id of the session whose chat is requested. @throws {HttpError} 404 */
export function sessionOf(url: string): string {
	const id = chatPath.exec(urlParts(url).path)?.[1];
	if (id === undefined) throw noChat;
	return id;
}

/** Refuses an invalid handshake. @throws {HttpError} 400, or 426 for another version. */
export function refuseBadHandshake({
	method,
	httpVersion,
	headers,
}: Pick<IncomingMessage, "method" | "httpVersion" | "headers">): void {
	const { "sec-websocket-key": key = "", "sec-websocket-version": version } = headers;
	if (method !== "GET" || httpVersion !== "1.1") throw badRequest("A WebSocket begins with GET in HTTP/1.1");
	if (!/^[+/\dA-Za-z]{22}==$/.test(key)) throw badRequest("The header Sec-WebSocket-Key is missing or wrong");
	if (version !== "13") {
		throw new HttpError(426, "Only WebSockets of version 13 are supported", ["Sec-WebSocket-Version", "13"]);
	}
	if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) {
		throw badRequest("A WebSocket's request has no body");
	}
}

/**
 * Returns the headers with the token in `Authorization`. Clients that cannot set headers send it as a subprotocol or in
 * the URL (contract, behaviour 6.5); the header has precedence, then the subprotocol.
 */
export function withToken({ headers, url = "" }: Pick<IncomingMessage, "headers" | "url">): IncomingHttpHeaders {
	if (headers.authorization !== undefined) return headers;
	const token = protocolToken(headers) ?? new URLSearchParams(urlParts(url).query).get("access_token");
	return token === null ? headers : { ...headers, authorization: `Bearer ${token}` };
}

function protocolToken(headers: IncomingHttpHeaders): string | undefined {
	const name = protocolsOf(headers).find((offered) => offered.startsWith(tokenSubprotocol));
	return name && Buffer.from(name.slice(tokenSubprotocol.length), "base64url").toString("latin1");
}

function protocolsOf(headers: IncomingHttpHeaders): string[] {
	return headerList(headers["sec-websocket-protocol"] ?? "");
}
