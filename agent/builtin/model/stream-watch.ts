/** Ends a model call whose endpoint says nothing any more: what counts is any byte, also those that only say "wait". */
import { after, type Timer } from "#shared/clock.ts";
import { ModelFailure } from "./model-failure.ts";

/** However much it says, no single answer takes longer. */
const callMs = 15 * 60_000;

export class StreamWatch {
	readonly #controller = new AbortController();
	readonly #idleMs: number;
	readonly #limit: Timer;
	#idle: Timer | undefined;

	constructor(idleMs: number) {
		this.#idleMs = idleMs;
		this.#limit = after(callMs, () => this.#end(`The model's answer took longer than ${callMs / 60_000} minutes`));
	}

	/** Aborts, with a failure as its reason, when the call is not worth waiting for. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** Makes the request and sees every byte of its answer; from here on silence counts. */
	readonly fetch: typeof globalThis.fetch = async (input, init) => {
		this.#stir();
		const response = await fetch(input, init);
		this.#stir();
		const { body, status, statusText, headers } = response;
		if (!body) return response;
		const seen = new TransformStream<Uint8Array, Uint8Array>({
			transform: (chunk, controller) => {
				this.#stir();
				controller.enqueue(chunk);
			},
		});
		return new Response(body.pipeThrough(seen), { status, statusText, headers });
	};

	/** Nothing more is wanted of the answer; what still comes is not read. */
	close(): void {
		this.#idle?.cancel();
		this.#limit.cancel();
		this.#controller.abort();
	}

	#stir(): void {
		this.#idle?.cancel();
		if (this.signal.aborted) return;
		const sentence = `The model's endpoint said nothing for ${this.#idleMs / 1_000} s`;
		this.#idle = after(this.#idleMs, () => this.#end(sentence));
	}

	#end(sentence: string): void {
		this.#controller.abort(new ModelFailure(sentence, { isRetryable: true }));
		this.close();
	}
}
