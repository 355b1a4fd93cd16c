/** Asks the model, and asks again where that may help; never waits without an end. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { sleep } from "#shared/clock.ts";
import { makeModel } from "./language-model.ts";
import { type AnswerListener, ModelAnswer } from "./model-answer.ts";
import { type ModelFailure, modelFailure } from "./model-failure.ts";
import { alternating } from "./model-message.ts";
import type { ModelSettings } from "./model-settings.ts";
import { orAborted } from "../or-aborted.ts";
import { StreamWatch } from "./stream-watch.ts";

export interface ModelRequest {
	system: string;
	messages: readonly LanguageModelV4Message[];
	tools: NonNullable<LanguageModelV4CallOptions["tools"]>;
	listener: AnswerListener;
	signal: AbortSignal;
}

/** After the first attempt. */
const retries = 2;
const backoffMs = 500;
/** Who asks to wait longer is not waited for. */
const maxWaitMs = 30_000;

/** Anthropic's wire wants a number; for models it knows the library lowers it to what they may say. */
const maxAnswerTokens = 16_384;

const goOn = "Your answer was cut off by a broken connection. Go on exactly where it stopped; repeat nothing.";

export class ModelEndpoint {
	readonly settings: ModelSettings;

	constructor(settings: ModelSettings) {
		this.settings = settings;
	}

	/**
	 * What an attempt had already shown is not asked for again: the next one goes on behind it.
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

/** The turn was cancelled in the middle of an answer. */
export class AnswerAborted extends Error {
	override readonly name = "AnswerAborted";

	constructor() {
		super("The answer was cancelled");
	}
}

/** Undefined when there is no sense in another attempt. */
function waitBefore(attempt: number, { isRetryable, retryAfterMs }: ModelFailure): number | undefined {
	const waitMs = retryAfterMs ?? backoffMs * 4 ** attempt;
	return isRetryable && attempt < retries && waitMs <= maxWaitMs ? waitMs : undefined;
}

/** Anthropic's wire reads from its cache what came up to a mark; the others know no such option and do it alone. */
function cached<M extends LanguageModelV4Message>(message: M): M {
	return { ...message, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
}
