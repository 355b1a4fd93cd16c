/**
 * Makes all WebSockets of the product. A peer decides how many frames it sends in one piece, so none of them is handled
 * in the same turn of the event loop as the one before it, and every socket has a largest message.
 */
import { WebSocket, WebSocketServer } from "ws";

/** A chunk of 64 KB can contain 9,000 frames; only one frame per socket is handled in a turn of the event loop. */
const always = { allowSynchronousEvents: false, perMessageDeflate: false } as const;

export interface WebSocketServerOptions {
	/** The largest message in bytes. */
	readonly maxPayload: number;
	/** Whether the server knows its sockets (`clients`). */
	readonly clientTracking: boolean;
	/** Chooses one of the protocols that the client offers; default: the first one. */
	readonly handleProtocols?: (offered: Set<string>) => string | false;
}

/** Returns a server for connections that the caller upgrades. */
export function webSocketServer(options: WebSocketServerOptions): WebSocketServer {
	return new WebSocketServer({ ...options, ...always, noServer: true });
}

export interface WebSocketOptions {
	readonly headers: Readonly<Record<string, string>>;
	/** The timeout of the handshake in milliseconds. */
	readonly handshakeTimeout: number;
	/** The largest message in bytes. */
	readonly maxPayload: number;
}

/** Returns a socket that connects; redirects are not followed. */
export function connectWebSocket(url: URL, options: WebSocketOptions): WebSocket {
	return new WebSocket(url, { ...options, ...always, followRedirects: false });
}
