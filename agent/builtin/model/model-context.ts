/** The messages that are sent to the model with each call, and how much of its window they fill. */
import { estimatedTokens, type ModelMessage } from "./model-message.ts";

/** The messages of a conversation, with a count of their tokens. */
export class ModelContext {
	#messages: ModelMessage[];
	/** The tokens of the first messages, with the system prompt and the tools, as the endpoint counted them. */
	#counted = { tokens: 0, messages: 0 };
	/** The estimated tokens of the system prompt and the tools. */
	overhead = 0;

	constructor(messages: readonly ModelMessage[]) {
		this.#messages = [...messages];
	}

	get messages(): readonly ModelMessage[] {
		return this.#messages;
	}

	/** The tokens of all messages. The messages after the last call are estimated. */
	get used(): number {
		const { tokens, messages } = this.#counted;
		return (messages === 0 ? this.overhead : tokens) + estimatedTokens(this.#messages.slice(messages));
	}

	add(message: ModelMessage): void {
		this.#messages.push(message);
	}

	/** Takes over the endpoint's count. @param tokens Those of the call and its answer, which was added; 0: no count. */
	count(tokens: number): void {
		if (tokens > 0) this.#counted = { tokens, messages: this.#messages.length };
	}

	/** Replaces all messages but the last `retained` by one. */
	compact(summary: ModelMessage, retained: number): void {
		this.#messages = [summary, ...(retained > 0 ? this.#messages.slice(-retained) : [])];
		this.#counted = { tokens: 0, messages: 0 };
	}
}
