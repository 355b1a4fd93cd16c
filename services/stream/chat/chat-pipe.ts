/**
 * Joins two WebSockets: each passes on the frames of the other, as fast as the slower one reads, until one of them
 * ends.
 */
import type { WebSocket } from "ws";
import { refusalInContractDialect } from "#shared/wire/pod/frames.ts";
import type { FrameBudget } from "#shared/net/http/frame-budget.ts";
import { answerTo, type ChangeModel, modelNamedBy } from "./model-frames.ts";
import { ReadingGate } from "./reading-gate.ts";

/** The unread bytes of one side at which reading from the other one pauses. */
const highWater = 1_048_576;
const lowWater = 262_144;

const normal = 1000;
const unsupported = 1003;
const internalError = 1011;

interface ChatPipeDependencies {
	readonly changeModel: ChangeModel;
	/** Whether the client reads the frames in the platform's own form; otherwise it reads the contract's. */
	readonly isOwnDialect: boolean;
	/** Returns the budgets that the frames of both sides are counted to. @param closed Resolves with the end. */
	readonly budgets: (closed: Promise<unknown>) => readonly FrameBudget[];
}

/** One of the two sockets. */
interface Side {
	readonly socket: WebSocket;
	readonly gate: ReadingGate;
}

/** One bridged connection. It ends both sockets when one ends. */
export class ChatPipe {
	/** Resolves when both sides are gone. */
	readonly closed: Promise<unknown>;
	readonly #client: Side;
	readonly #pod: Side;
	/** The sockets that have answered the last ping. */
	readonly #alive: Set<WebSocket>;
	readonly #dependencies: ChatPipeDependencies;

	/** Begins to pass on frames. @param pod The pod's socket, still paused. */
	constructor(client: WebSocket, pod: WebSocket, dependencies: ChatPipeDependencies) {
		this.#dependencies = dependencies;
		this.#alive = new Set([client, pod]);
		this.closed = Promise.all([client, pod].map((side) => goneOf(side)));
		const budgets = dependencies.budgets(this.closed);
		this.#client = { socket: client, gate: new ReadingGate(client, budgets) };
		this.#pod = { socket: pod, gate: new ReadingGate(pod, budgets) };
		for (const side of [client, pod]) {
			// The event `close` follows.
			side.on("error", () => {});
			side.on("pong", () => this.#alive.add(side));
		}
		client.on("message", (data: Buffer, isBinary) => this.#fromClient(data, isBinary));
		pod.on("message", (data: Buffer) => forward(data, this.#pod, this.#client));
		client.once("close", () => end(this.#pod, normal));
		pod.once("close", (code, reason) => end(this.#client, codeFor(code), reason.toString()));
		pod.resume();
		// The pod's socket may have closed before the listeners were added.
		if (pod.readyState === pod.CLOSED) end(this.#client, internalError);
	}

	close(code: number, reason: string): void {
		end(this.#client, code, reason);
		end(this.#pod, normal);
	}

	terminate(): void {
		this.#client.socket.terminate();
		this.#pod.socket.terminate();
	}

	#fromClient(data: Buffer, isBinary: boolean): void {
		const model = isBinary ? undefined : modelNamedBy(data);
		if (isBinary) this.close(unsupported, "Frames are text");
		else if (model === undefined) forward(data, this.#client, this.#pod);
		else void this.#takeModel(model, data);
	}

	/** Frames that follow wait, so that a message is answered by the model that was named before it. */
	async #takeModel(model: string, frame: Buffer): Promise<void> {
		const { socket, gate } = this.#client;
		gate.count(frame.length);
		gate.pause("busy");
		try {
			const answer = await answerTo(this.#dependencies.changeModel, model);
			if (answer === "unknown") forward(frame, this.#client, this.#pod);
			else if (answer && socket.readyState === socket.OPEN)
				socket.send(JSON.stringify(this.#dependencies.isOwnDialect ? answer : refusalInContractDialect(answer)));
		} catch {
			this.close(internalError, "The model cannot be changed");
		} finally {
			gate.resume("busy");
		}
	}

	/** Ends both sides when one has not answered the last ping, and pings both. */
	checkAlive(): void {
		for (const { socket: side } of [this.#client, this.#pod]) {
			if (!this.#alive.delete(side)) return this.terminate();
			if (side.readyState === side.OPEN) side.ping();
		}
	}
}

function forward(data: Buffer, from: Side, to: Side): void {
	from.gate.count(data.length);
	if (to.socket.readyState !== to.socket.OPEN) return;
	to.socket.send(data, { binary: false }, () => {
		if (to.socket.bufferedAmount < lowWater) from.gate.resume("unread");
	});
	if (to.socket.bufferedAmount > highWater) from.gate.pause("unread");
}

function end({ socket, gate }: Side, code: number, reason = ""): void {
	gate.leaveOpen();
	socket.close(code, reason);
}

/** Maps codes that stand for missing close frames, which must not be sent. */
function codeFor(code: number): number {
	const isSendable = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000;
	return isSendable ? code : internalError;
}

function goneOf(side: WebSocket): Promise<void> {
	if (side.readyState === side.CLOSED) return Promise.resolve();
	return new Promise((resolve) => side.once("close", () => resolve()));
}
