/** What the model is told with each call, and how much of its window that fills. */
import { estimatedTokens, type ModelMessage } from "./model-message.ts";

export class ModelContext {
	#messages: ModelMessage[];
	/** Tokens of the first messages, as the endpoint counted them, with the system prompt and the tools. */
	#counted = { tokens: 0, messages: 0 };
	/** Tokens of the system prompt and the tools, estimated. */
	overhead = 0;

	constructor(messages: readonly ModelMessage[]) {
		this.#messages = [...messages];
	}

	get messages(): readonly ModelMessage[] {
		return this.#messages;
	}

	/** Tokens; what came after the last call is estimated. */
	get used(): number {
		const { tokens, messages } = this.#counted;
		return (messages === 0 ? this.overhead : tokens) + estimatedTokens(this.#messages.slice(messages));
	}

	add(message: ModelMessage): void {
		this.#messages.push(message);
	}

	/** @param tokens What the call and its answer, already added, took; 0 when the endpoint did not say. */
	count(tokens: number): void {
		if (tokens > 0) this.#counted = { tokens, messages: this.#messages.length };
	}

	/** Puts one message in place of all but the last `kept`. */
	compact(summary: ModelMessage, kept: number): void {
		this.#messages = [summary, ...(kept > 0 ? this.#messages.slice(-kept) : [])];
		this.#counted = { tokens: 0, messages: 0 };
	}
}
