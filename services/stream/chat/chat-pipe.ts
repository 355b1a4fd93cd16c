/**
 * Joins two WebSockets: each passes on the frames of the other, as fast as the slower one reads, until one of them
 * ends.
 */
import { WebSocket } from "ws";
import { refusalInContractDialect } from "#shared/pod/frames.ts";
import { answerTo, type ChangeModel, modelNamedBy } from "./model-frames.ts";

/** The unread bytes of one side at which reading from the other one pauses. */
const highWater = 1_048_576;
const lowWater = 262_144;

const normal = 1000;
const unsupported = 1003;
const internalError = 1011;

export interface ChatPipeOptions {
	readonly changeModel: ChangeModel;
	/** Whether the client reads the frames in the platform's own form; otherwise it reads the contract's. */
	readonly isOwnDialect: boolean;
}

/** One bridged connection. It ends both sockets when one ends. */
export class ChatPipe {
	/** Resolves when both sides are gone. */
	readonly closed: Promise<unknown>;
	readonly #client: WebSocket;
	readonly #pod: WebSocket;
	/** The sockets that have answered the last ping. */
	readonly #alive: Set<WebSocket>;
	readonly #options: ChatPipeOptions;

	/** Begins to pass on frames. @param pod The pod's socket, still paused. */
	constructor(client: WebSocket, pod: WebSocket, options: ChatPipeOptions) {
		this.#options = options;
		this.#client = client;
		this.#pod = pod;
		this.#alive = new Set([client, pod]);
		this.closed = Promise.all([client, pod].map((side) => goneOf(side)));
		for (const side of [client, pod]) {
			// The event `close` follows.
			side.on("error", () => {});
			side.on("pong", () => this.#alive.add(side));
		}
		client.on("message", (data: Buffer, isBinary) => {
			const model = isBinary ? undefined : modelNamedBy(data);
			if (isBinary) this.close(unsupported, "Frames are text");
			else if (model === undefined) forward(data, client, pod);
			else void this.#takeModel(model, data);
		});
		pod.on("message", (data: Buffer) => forward(data, pod, client));
		client.once("close", () => end(pod, normal));
		pod.once("close", (code, reason) => end(client, codeFor(code), reason.toString()));
		pod.resume();
		// The pod's socket may have closed before the listeners were added.
		if (pod.readyState === WebSocket.CLOSED) end(client, internalError);
	}

	close(code: number, reason: string): void {
		end(this.#client, code, reason);
		end(this.#pod, normal);
	}

	terminate(): void {
		this.#client.terminate();
		this.#pod.terminate();
	}

	/** Frames that follow wait, so that a message is answered by the model that was named before it. */
	async #takeModel(model: string, frame: Buffer): Promise<void> {
		this.#client.pause();
		try {
			const answer = await answerTo(this.#options.changeModel, model);
			if (answer === "unknown") forward(frame, this.#client, this.#pod);
			else if (answer && this.#client.readyState === WebSocket.OPEN)
				this.#client.send(JSON.stringify(this.#options.isOwnDialect ? answer : refusalInContractDialect(answer)));
		} catch {
			this.close(internalError, "The model cannot be changed");
		} finally {
			this.#client.resume();
		}
	}

	/** Ends both sides when one has not answered the last ping, and pings both. */
	checkAlive(): void {
		for (const side of [this.#client, this.#pod]) {
			if (!this.#alive.delete(side)) return this.terminate();
			if (side.readyState === WebSocket.OPEN) side.ping();
		}
	}
}

function forward(data: Buffer, from: WebSocket, to: WebSocket): void {
	if (to.readyState !== WebSocket.OPEN) return;
	to.send(data, { binary: false }, () => {
		if (to.bufferedAmount < lowWater && from.isPaused) from.resume();
	});
	if (to.bufferedAmount > highWater) from.pause();
}

/** Closes a side and resumes reading, because a paused socket would never receive the closing frame. */
function end(side: WebSocket, code: number, reason = ""): void {
	if (side.isPaused) side.resume();
	side.close(code, reason);
}

/** Maps codes that stand for missing close frames, which must not be sent. */
function codeFor(code: number): number {
	const isSendable = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000;
	return isSendable ? code : internalError;
}

function goneOf(side: WebSocket): Promise<void> {
	if (side.readyState === WebSocket.CLOSED) return Promise.resolve();
	return new Promise((resolve) => side.once("close", () => resolve()));
}
