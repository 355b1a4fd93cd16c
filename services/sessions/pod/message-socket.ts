/**
 * A WebSocket to a pod that stays open between messages: the first message opens it, and it is closed after a minute
 * without messages.
 */
import { bound } from "#shared/base/bounds.ts";
import type { WebSocket } from "ws";
import { after, type Timer } from "#shared/base/clock.ts";
import { UpstreamError } from "#shared/base/errors.ts";
import { connectWebSocket } from "#shared/net/http/websockets.ts";
import { agentSocketUrl } from "#shared/wire/pod/agent-url.ts";
import { FrameBudget } from "#shared/net/http/frame-budget.ts";
import { confirmationsPath } from "#shared/wire/pod/frames.ts";
import { confirmationIn } from "./confirmation.ts";
import type { PodAddress } from "./pod-address.ts";

const openMs = 1_000;
const confirmMs = 5_000;
const idleMs = 60_000;
/** The largest confirmation, in bytes; it has an id, or a sentence too. */
const maxConfirmationBytes = 65_536;
/** The frames in a second that nobody waits for, and their bytes. A pod also confirms the messages of other connections. */
const maxUnasked = { frames: 50, bytes: 4 * maxConfirmationBytes };

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
	readonly #unasked = new FrameBudget(maxUnasked);
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
			maxPayload: maxConfirmationBytes,
		});
		this.#opened = new Promise((resolve, reject) => {
			this.#socket.once("open", resolve);
			this.#socket.once("close", () => reject(lost()));
		});
		this.#opened.catch(() => {});
		this.#socket.on("message", (data: Buffer) => this.#receive(data));
		for (const kind of ["ping", "pong"]) this.#socket.on(kind, (data: Buffer) => this.#refuseFlood(data.length));
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
		if (this.#pending.size >= bound.unconfirmedMessages)
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
			const timer = after(confirmMs, () => {
				this.#finish(id, new UpstreamError("The session's pod did not confirm", "POD_SILENT"));
			});
			this.#pending.set(id, {
				timer,
				resolve: () => (former?.resolve(), resolve()),
				reject: (error) => (former?.reject(error), reject(error)),
			});
			former?.timer.cancel();
		});
	}

	#receive(frame: Buffer): void {
		const { id, refusal } = confirmationIn(frame) ?? {};
		const isAwaited =
			id !== undefined &&
			this.#finish(id, refusal === undefined ? undefined : new UpstreamError(refusal, "POD_REFUSED"));
		if (!isAwaited) this.#refuseFlood(frame.length);
	}

	/** Closes a connection whose pod sends too much that nobody waits for. */
	#refuseFlood(bytes: number): void {
		if (this.#unasked.spend(bytes) === 0) return;
		this.#socket.terminate();
		this.#closed();
	}

	/** @returns Whether a message with this id waits. */
	#finish(id: string, error?: Error): boolean {
		const pending = this.#pending.get(id);
		if (!pending) return false;
		this.#pending.delete(id);
		pending.timer.cancel();
		if (error) pending.reject(error);
		else pending.resolve();
		return true;
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
