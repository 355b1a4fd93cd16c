/** Tracks whether a caller is still connected, and for how long the provider's response is read afterwards. */
import type { ServerResponse } from "node:http";
import { after } from "#shared/base/clock.ts";

/** How long a response is read after its caller has left. */
const listenMs = 5_000;
/** The bound on responses that are read without a caller at one time. */
const maxListening = 8;

/** The state that all calls of a proxy share. */
export interface Listening {
	count: number;
	/** It aborts when no response is read without a caller any more. */
	readonly closing: AbortSignal;
}

export class CallerPresence {
	/** It aborts when the caller has left. */
	readonly left: AbortSignal;
	/** It aborts when the request to the provider is abandoned. */
	readonly over: AbortSignal;
	readonly #over = new AbortController();
	#stopListening = (): void => {};
	/** Whether the end of the response is needed without a caller, because it reports the usage that has to be paid. */
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

	/** The end of the response is known, so nothing more has to be read. */
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
