/** Pauses the reading from a socket for as long as there is a reason to. */
import type { WebSocket } from "ws";
import { after, type Timer } from "#shared/base/clock.ts";
import type { FrameBudget } from "#shared/net/http/frame-budget.ts";

/** `budget`: it sent more than its share; `unread`: the other side is slower; `busy`: an earlier frame is worked on. */
type Reason = "budget" | "unread" | "busy";

/** One for each socket. It ends by itself with the socket. */
export class ReadingGate {
	readonly #socket: WebSocket;
	readonly #budgets: readonly FrameBudget[];
	readonly #reasons = new Set<Reason>();
	#timer: Timer | undefined;
	#isOpen = true;

	/** @param budgets The budgets that each frame of the socket is counted to. */
	constructor(socket: WebSocket, budgets: readonly FrameBudget[]) {
		this.#socket = socket;
		this.#budgets = budgets;
		socket.once("close", () => this.leaveOpen());
		// Pings and pongs cost as much as small messages.
		for (const kind of ["ping", "pong"]) socket.on(kind, (data: Buffer) => this.count(data.length));
	}

	/** Counts a frame; the socket is not read any more until its budgets allow it. */
	count(bytes: number): void {
		const waitMs = Math.max(...this.#budgets.map((budget) => budget.spend(bytes)));
		if (waitMs === 0 || !this.#isOpen) return;
		this.pause("budget");
		this.#timer?.cancel();
		this.#timer = after(waitMs, () => this.resume("budget"));
	}

	pause(reason: Reason): void {
		if (!this.#isOpen) return;
		this.#reasons.add(reason);
		this.#socket.pause();
	}

	resume(reason: Reason): void {
		if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#socket.resume();
	}

	/** Reads to the end whatever comes, because a paused socket would never receive the closing frame. */
	leaveOpen(): void {
		this.#isOpen = false;
		this.#timer?.cancel();
		this.#reasons.clear();
		if (this.#socket.isPaused) this.#socket.resume();
	}
}
