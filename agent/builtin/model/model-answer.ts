/** The answer of a model to one call, assembled from its stream. */
import type {
	LanguageModelV4FinishReason,
	LanguageModelV4Message,
	LanguageModelV4StreamPart,
	SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { addTokens, noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";
import { parseJson } from "#shared/base/schema/parsed-json.ts";
import { ModelFailure } from "./model-failure.ts";

export type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
type Part = AssistantContent[number];

/** A call of a tool, as the model asked for it. */
export interface ModelToolCall {
	id: string;
	name: string;
	/** The text is JSON as the model wrote it: it may be wrong or cut off. */
	input: string;
}

/** Receives the answer while it is streamed. */
export interface AnswerListener {
	text(delta: string): void;
	thought(delta: string): void;
}

export type FinishReason = LanguageModelV4FinishReason["unified"];

/** The bound on one answer, in characters. A longer answer is a fault of the model. */
const maxLength = 4_194_304;

/** Assembles the parts of a stream into one answer. */
export class ModelAnswer {
	readonly calls: ModelToolCall[] = [];
	usage: TokenCounts = { ...noTokens };
	finish: FinishReason | undefined;
	readonly #parts: Part[] = [];
	readonly #listener: AnswerListener;
	#length = 0;

	constructor(listener: AnswerListener) {
		this.#listener = listener;
	}

	/** The content that can be sent again: without empty parts, and with thoughts only beside what they led to. */
	get content(): AssistantContent {
		const parts = this.#parts.filter(saysSomething);
		return parts.every((part) => part.type === "reasoning") ? [] : parts;
	}

	/** The text of the answer that was shown to the user. */
	get text(): string {
		return this.#parts.map((part) => (part.type === "text" ? part.text : "")).join("");
	}

	/**
	 * Adds one part of the stream.
	 * @throws {ModelFailure} when the answer is too long, or whatever error the endpoint's library streamed.
	 */
	take(part: LanguageModelV4StreamPart): void {
		const { type } = part;
		if (type === "error") throw part.error;
		if (type === "text-start" || type === "reasoning-start") {
			this.#parts.push(open(type === "text-start" ? "text" : "reasoning", part.providerMetadata));
		} else if (type === "text-delta") {
			this.#listener.text(part.delta);
			this.#grow("text", part.delta);
		} else if (type === "reasoning-delta") {
			this.#listener.thought(part.delta);
			this.#grow("reasoning", part.delta, part.providerMetadata);
		} else if (type === "reasoning-end") {
			this.#grow("reasoning", "", part.providerMetadata);
		} else if (type === "tool-call") {
			this.#call(part);
		} else if (type === "finish") {
			this.#finish(part);
		}
	}

	/** Checks the answer after its stream. @throws {ModelFailure} when the stream ended before the answer did. */
	check(): void {
		if (this.finish !== undefined && this.finish !== "error") return;
		throw new ModelFailure("The model's answer broke off", { isRetryable: true });
	}

	/** Puts the text that an interrupted attempt had shown before the text of this one. */
	resume(words: string): void {
		if (words !== "") this.#parts.unshift({ type: "text", text: words });
	}

	#grow(type: "text" | "reasoning", delta: string, metadata?: SharedV4ProviderMetadata): void {
		this.#length += delta.length;
		if (this.#length > maxLength) throw new ModelFailure(`The model's answer has more than ${maxLength} characters`);
		let part = this.#parts.at(-1);
		if (part?.type !== type) this.#parts.push((part = open(type, undefined)));
		if (!("text" in part)) return;
		part.text += delta;
		if (metadata) part.providerOptions = { ...part.providerOptions, ...metadata };
	}

	#call({ toolCallId, toolName, input, providerMetadata }: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>) {
		this.calls.push({ id: toolCallId, name: toolName, input });
		// Calls go back to the model as objects; one whose input was not JSON goes back as an empty object.
		const call: Part = { type: "tool-call", toolCallId, toolName, input: parseJson(input) ?? {} };
		this.#parts.push(providerMetadata ? { ...call, providerOptions: providerMetadata } : call);
	}

	#finish({ usage, finishReason }: Extract<LanguageModelV4StreamPart, { type: "finish" }>): void {
		const { total = 0, cacheRead = 0, cacheWrite = 0, noCache = total - cacheRead - cacheWrite } = usage.inputTokens;
		// A raw reason comes from the provider; a library invents a reason when a stream just ends.
		if (finishReason.raw !== undefined) this.finish = finishReason.unified;
		this.usage = addTokens(this.usage, {
			input: Math.max(0, noCache),
			output: usage.outputTokens.total ?? 0,
			cache_read: cacheRead,
			cache_write: cacheWrite,
		});
	}
}

/** Providers refuse text without a letter; a thought may consist of its signature only. */
function saysSomething(part: Part): boolean {
	if (part.type === "text") return part.text.trim() !== "";
	return part.type !== "reasoning" || part.text !== "" || part.providerOptions !== undefined;
}

function open(type: "text" | "reasoning", metadata: SharedV4ProviderMetadata | undefined): Part & { text: string } {
	return metadata ? { type, text: "", providerOptions: metadata } : { type, text: "" };
}
