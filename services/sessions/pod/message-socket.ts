/**
 * A WebSocket to a pod that stays open between messages: the first message opens it, and it is closed after a minute
 * without messages.
 */
import type { WebSocket } from "ws";
import { after, type Timer } from "#shared/clock.ts";
import { UpstreamError } from "#shared/errors.ts";
import { connectWebSocket } from "#shared/http/websockets.ts";
import { agentSocketUrl } from "#shared/pod/agent-url.ts";
import { confirmationsPath, maxFrameBytes, type PodFrame } from "#shared/pod/frames.ts";
import type { PodAddress } from "./pod-address.ts";

const openMs = 1_000;
const confirmMs = 5_000;
const idleMs = 60_000;
/** The most unconfirmed messages. */
const maxPending = 100;

interface Pending {
	readonly resolve: () => void;
	readonly reject: (error: Error) => void;
	readonly timer: Timer;
}

/** One connection; it closes itself. */
export class MessageSocket {
	readonly #socket: WebSocket;
	readonly #opened: Promise<void>;
	readonly #pending = new Map<string, Pending>();
	readonly #onClosed: () => void;
	#idle: Timer;
	/** The messages under way, including those that wait for the connection. */
	#sending = 0;

	/**
	 * @param hosts The hosts beside loopback at which the pod may listen. @param onClosed Called once when the connection can no longer be used. @throws {UpstreamError} when the address
	 * cannot belong to a pod.
	 */
	constructor(pod: PodAddress, hosts: readonly string[], onClosed: () => void) {
		this.#onClosed = onClosed;
		this.#socket = connectWebSocket(agentSocketUrl(pod.url, confirmationsPath, hosts), {
			headers: { authorization: `Bearer ${pod.key}` },
			handshakeTimeout: openMs,
			maxPayload: maxFrameBytes,
		});
		this.#opened = new Promise((resolve, reject) => {
			this.#socket.once("open", resolve);
			this.#socket.once("close", () => reject(lost()));
		});
		this.#opened.catch(() => {});
		this.#socket.on("message", (data: Buffer) => this.#receive(data.toString("utf8")));
		// The event `close` follows every error and rejects the waiting messages.
		this.#socket.on("error", () => {});
		this.#socket.once("close", () => this.#closed());
		this.#idle = after(idleMs, () => this.close());
	}

	/** Whether no message is under way, so that nobody loses one when the connection is closed. */
	get isIdle(): boolean {
		return this.#sending === 0;
	}

	/** Sends a message; resolves when the pod has confirmed it. @throws {UpstreamError} */
	async send(id: string, content: string): Promise<void> {
		this.#sending++;
		try {
			await this.#send(id, content);
		} finally {
			this.#sending--;
		}
	}

	async #send(id: string, content: string): Promise<void> {
		this.#stayOpen();
		if (this.#pending.size >= maxPending)
			throw new UpstreamError("The session's pod is too slow for the messages", "POD_BUSY");
		await this.#opened;
		const confirmed = this.#confirmation(id);
		this.#socket.send(JSON.stringify({ type: "user", id, content }));
		await confirmed;
	}

	close(): void {
		this.#socket.close();
		this.#closed();
	}

	/** Returns the confirmation of a message; a second message with the same id waits for the same one. */
	#confirmation(id: string): Promise<void> {
		const former = this.#pending.get(id);
		return new Promise((resolve, reject) => {
			const timer = after(confirmMs, () =>
				this.#finish(id, new UpstreamError("The session's pod did not confirm", "POD_SILENT")),
			);
			this.#pending.set(id, {
				timer,
				resolve: () => (former?.resolve(), resolve()),
				reject: (error) => (former?.reject(error), reject(error)),
			});
			former?.timer.cancel();
		});
	}

	#receive(text: string): void {
		const frame = readFrame(text);
		if (frame?.type === "user_confirmed") this.#finish(frame.id);
		if (frame?.type === "error" && frame.id !== undefined)
			this.#finish(frame.id, new UpstreamError(frame.content, "POD_REFUSED"));
	}

	#finish(id: string, error?: Error): void {
		const pending = this.#pending.get(id);
		if (!pending) return;
		this.#pending.delete(id);
		pending.timer.cancel();
		if (error) pending.reject(error);
		else pending.resolve();
	}

	#stayOpen(): void {
		this.#idle.cancel();
		this.#idle = after(idleMs, () => this.close());
	}

	#closed(): void {
		this.#idle.cancel();
		for (const id of this.#pending.keys()) this.#finish(id, lost());
		this.#onClosed();
	}
}

function lost(): UpstreamError {
	return new UpstreamError("The connection to the session's pod was lost", "POD_UNREACHABLE");
}

function readFrame(text: string): PodFrame | undefined {
	try {
		return JSON.parse(text) as PodFrame;
	} catch {
		return undefined;
	}
}
