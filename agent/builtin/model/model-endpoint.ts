/** Asks the model, and repeats a failed request when that may help. Every wait has a bound. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { type BackoffRule, backoffMs } from "#shared/base/concurrency/backoff.ts";
import { sleep } from "#shared/base/clock.ts";
import { makeModel } from "./language-model.ts";
import { type AnswerListener, ModelAnswer } from "./model-answer.ts";
import { type ModelFailure, modelFailure } from "./model-failure.ts";
import { alternating } from "./model-message.ts";
import type { ModelSettings } from "./model-settings.ts";
import { orAborted } from "#shared/base/concurrency/or-aborted.ts";
import { StreamWatch } from "./stream-watch.ts";

export interface ModelRequest {
	system: string;
	messages: readonly LanguageModelV4Message[];
	tools: NonNullable<LanguageModelV4CallOptions["tools"]>;
	listener: AnswerListener;
	signal: AbortSignal;
}

/** The number of attempts after the first one. */
const retries = 2;
/** A provider that asks for a longer wait gets no further attempt. */
const maxWaitMs = 30_000;
/** One agent asks alone, so that nothing is left to chance. */
const backoff: BackoffRule = { firstMs: 500, maxMs: maxWaitMs, factor: 4, jitter: 0 };

/** The Anthropic format requires a number; for models it knows, the library lowers it to their maximum. */
const maxAnswerTokens = 16_384;

const goOn = "Your answer was cut off by a broken connection. Go on exactly where it stopped; repeat nothing.";

/** Sends requests to the model that the settings name. */
export class ModelEndpoint {
	readonly settings: ModelSettings;

	constructor(settings: ModelSettings) {
		this.settings = settings;
	}

	/**
	 * Asks the model. Text that an interrupted attempt had already shown is not requested again: the next attempt
	 * continues after it.
	 * @throws {ModelFailure} after the last attempt. @throws {AnswerAborted} when the signal aborts.
	 */
	async ask(request: ModelRequest): Promise<ModelAnswer> {
		let shown = "";
		for (let attempt = 0; ; attempt++) {
			const answer = new ModelAnswer(request.listener);
			try {
				await this.#attempt(request, shown, answer);
				answer.resume(shown);
				return answer;
			} catch (error) {
				shown += answer.text;
				if (request.signal.aborted) throw new AnswerAborted();
				const failure = modelFailure(error, this.settings.token);
				const waitMs = waitBefore(attempt, failure);
				if (waitMs === undefined) throw failure;
				await sleep(waitMs, request.signal);
				if (request.signal.aborted) throw new AnswerAborted();
			}
		}
	}

	async #attempt({ signal, ...request }: ModelRequest, shown: string, answer: ModelAnswer): Promise<void> {
		const watch = new StreamWatch(this.settings.idleMs);
		const either = AbortSignal.any([signal, watch.signal]);
		try {
			const model = await makeModel(this.settings, watch.fetch);
			const { stream } = await orAborted(model.doStream(this.#options(request, shown, either)), either);
			const reader = stream.getReader();
			for (;;) {
				const { done, value } = await orAborted(reader.read(), either);
				if (done) break;
				answer.take(value);
			}
			answer.check();
		} finally {
			watch.close();
		}
	}

	#options(
		{ system, messages, tools }: Omit<ModelRequest, "signal">,
		shown: string,
		abortSignal: AbortSignal,
	): LanguageModelV4CallOptions {
		const { wire, contextWindow } = this.settings;
		const again: LanguageModelV4Message[] = [
			{ role: "assistant", content: [{ type: "text", text: shown }] },
			{ role: "user", content: [{ type: "text", text: goOn }] },
		];
		const said = alternating(shown.trim() === "" ? messages : [...messages, ...again]);
		const last = said.pop();
		return {
			prompt: [cached({ role: "system", content: system }), ...said, ...(last ? [cached(last)] : [])],
			...(tools.length > 0 && { tools }),
			...(wire === "anthropic" && { maxOutputTokens: Math.min(maxAnswerTokens, Math.ceil(contextWindow / 2)) }),
			abortSignal,
		};
	}
}

/** The turn was cancelled while the answer was being streamed. */
export class AnswerAborted extends Error {
	override readonly name = "AnswerAborted";

	constructor() {
		super("The answer was cancelled");
	}
}

/** Returns undefined when another attempt cannot help. */
function waitBefore(attempt: number, { isRetryable, retryAfterMs }: ModelFailure): number | undefined {
	const waitMs = retryAfterMs ?? backoffMs(attempt + 1, backoff);
	return isRetryable && attempt < retries && waitMs <= maxWaitMs ? waitMs : undefined;
}

/** The Anthropic format caches the messages up to a mark; the other formats cache unasked and ignore it. */
function cached<M extends LanguageModelV4Message>(message: M): M {
	return { ...message, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
}
