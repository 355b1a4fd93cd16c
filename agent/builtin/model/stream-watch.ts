/** Ends a model call whose endpoint is silent. Every byte is a sign of life, also that of a keep-alive comment. */
import { after, type Timer } from "#shared/base/clock.ts";
import { ModelFailure } from "./model-failure.ts";

/** The bound on one answer, also for an endpoint that never becomes silent. */
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

	/** The signal aborts when the call is given up; its reason is a {@link ModelFailure}. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** Makes the request and sees every byte of its response; the time limit for silence starts here. */
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

	/** Stops reading the response, because nothing more of it is wanted. */
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
