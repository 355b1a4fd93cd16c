/** Opens a connection to the chat of a pod; its frames wait until it is resumed. */
import type { WebSocket } from "ws";
import { UnavailableError, UpstreamError } from "#shared/base/errors.ts";
import { connectWebSocket } from "#shared/net/http/websockets.ts";
import { maxFrameBytes } from "#shared/wire/pod/frames.ts";

const handshakeMs = 3_000;

/**
 * Resolves with an open, paused connection, which the caller closes.
 * @param url The address of the pod's chat.
 * @param signal Aborted when the connection is no longer needed.
 * @throws {UpstreamError} when the pod cannot be reached; {UnavailableError} when it accepts no more connections.
 */
export async function connectToPod(url: URL, key: string, signal: AbortSignal): Promise<WebSocket> {
	const socket = connectWebSocket(url, {
		headers: { authorization: `Bearer ${key}` },
		handshakeTimeout: handshakeMs,
		maxPayload: 2 * maxFrameBytes,
	});
	return new Promise((resolve, reject) => {
		const abandon = (): void => socket.terminate();
		signal.addEventListener("abort", abandon);
		socket.once("open", () => {
			signal.removeEventListener("abort", abandon);
			socket.pause();
			resolve(socket);
		});
		socket.once("unexpected-response", (request, response) => {
			response.resume();
			request.destroy();
			reject(response.statusCode === 503 ? busy() : unreachable());
		});
		socket.on("error", (cause) => reject(unreachable(cause)));
		socket.once("close", () => {
			signal.removeEventListener("abort", abandon);
			reject(unreachable());
		});
	});
}

function busy(): UnavailableError {
	return new UnavailableError("The session's pod takes no more connections", "POD_BUSY");
}

function unreachable(cause?: unknown): UpstreamError {
	return new UpstreamError("The session's pod cannot be reached", "POD_UNREACHABLE", { cause });
}
