/** Whether the caller of a model is still there, and how long its provider is listened to afterwards. */
import type { ServerResponse } from "node:http";
import { after } from "#shared/clock.ts";

/** How long an answer is read whose caller has left. */
const listenMs = 5_000;
/** Answers read for nobody at one time. */
const maxListening = 8;

/** Shared by all calls of a proxy. */
export interface Listening {
	count: number;
	/** Aborts when nothing is listened to any more. */
	readonly closing: AbortSignal;
}

export class CallerPresence {
	/** The caller has left. */
	readonly left: AbortSignal;
	/** What was asked of the provider is given up. */
	readonly over: AbortSignal;
	readonly #over = new AbortController();
	#stopListening = (): void => {};
	/** Whether the end of the answer is wanted though nobody reads it: it tells the usage that has to be paid. */
	wantsEnd = false;

	constructor(response: ServerResponse, listening: Listening) {
		const left = new AbortController();
		this.left = left.signal;
		this.over = this.#over.signal;
		response.once("close", () => {
			if (response.writableFinished) return;
			left.abort();
			this.#listen(listening);
		});
	}

	/** The end of the answer is known; nothing needs to be heard any more. */
	end(): void {
		this.wantsEnd = false;
		this.#stopListening();
	}

	#listen(listening: Listening): void {
		const { closing } = listening;
		const giveUp = (): void => this.#over.abort();
		if (!this.wantsEnd || closing.aborted || listening.count >= maxListening) return giveUp();
		listening.count++;
		const timer = after(listenMs, giveUp);
		closing.addEventListener("abort", giveUp, { once: true });
		this.#stopListening = () => {
			this.#stopListening = () => {};
			listening.count--;
			timer.cancel();
			closing.removeEventListener("abort", giveUp);
		};
	}
}
