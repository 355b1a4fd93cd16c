/**
 * Translates the chat's frames into the form that the contract's clients read (behaviour 6.4; the table is in
 * docs/chat.md): they open a message with its `assistant` frame, take the content of blocks from deltas, know tools by
 * the names of one agent, and take every `error` for the end of the answer.
 */
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import { type PodFrame, refusalInContractDialect, type StreamFrame } from "#shared/wire/pod/frames.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import { usageOf } from "./turn-frames.ts";

/** The tool names for which clients have icons, by kinds of the protocol; another kind keeps its own name. */
const toolNames: Readonly<Record<string, string>> = {
	execute: "Bash",
	edit: "Edit",
	read: "Read",
	search: "Grep",
	fetch: "WebFetch",
	think: "Task",
};

/** The text of an answer that has none: clients hide an answer without a text as soon as it is complete. */
const withoutText = "(The answer has no text.)";

/** Facts of the chat that its frames do not have. */
export interface DialectSource {
	/** The name of the session's model; undefined when it has none. */
	readonly model: string | undefined;
	/** The usage of the current turn so far; undefined while no provider has reported any. */
	readonly usedSoFar: TokenCounts | undefined;
	readonly isInTurn: boolean;
}

/** The frames for all clients of one chat that read the contract's form. */
export class ContractDialect {
	readonly #source: DialectSource;
	/** The start of a message that clients have not opened yet. */
	#unopened: StreamFrame | undefined;

	constructor(source: DialectSource) {
		this.#source = source;
	}

	/**
	 * Returns the frames for all clients. The `assistant` frame comes before the first block, because clients take the
	 * tokens that a turn has read from it only, and they are not known before.
	 */
	shared(frame: PodFrame): PodFrame[] {
		if (frame.type === "message_start") {
			this.#unopened = frame;
			return [frame];
		}
		const translated = inContractDialect(frame, this.#source.model);
		if (frame.type !== "content_block_start" && frame.type !== "message_stop") return translated;
		const opened = this.#unopened;
		this.#unopened = undefined;
		return opened ? [this.#opening(opened), ...translated] : translated;
	}

	/** Returns the frames for a client that connects now. */
	greeting(frame: PodFrame): PodFrame[] {
		if (frame.type === "message_start") return this.#unopened ? [frame] : [frame, this.#opening(frame)];
		return inContractDialect(frame, this.#source.model);
	}

	/** Returns the frames for the client whose frame is answered. */
	reply(frame: PodFrame): PodFrame[] {
		return frame.type === "error" ? [refusalInContractDialect(frame, this.#source.isInTurn)] : [frame];
	}

	#opening({ message, in_reply_to }: StreamFrame): StreamFrame {
		const { model, usedSoFar } = this.#source;
		const opened = {
			...(isJsonObject(message) && message),
			...(model !== undefined && { model }),
			...(usedSoFar && { usage: usageOf(usedSoFar) }),
		};
		return { type: "assistant", message: opened, in_reply_to };
	}
}

/**
 * Translates a frame that does not begin a message. Pure.
 * @param model The name of the session's model; undefined when it has none.
 */
export function inContractDialect(frame: PodFrame, model: string | undefined): PodFrame[] {
	if (frame.type === "content_block_start") return blockStart(frame);
	// A second `assistant` frame would be a second message.
	if (frame.type === "assistant") return [];
	// These clients know the permission mode only, and have no place for the agent's own one.
	if (frame.type === "mode") return [];
	if (frame.type === "control_request") return [{ ...frame, tool: nameOf(frame.tool) }];
	return frame.type === "result" ? resultOf(frame, model) : [frame];
}

function resultOf(frame: StreamFrame, model: string | undefined): StreamFrame[] {
	const result = { ...frame, ...(frame["result"] === "" && { result: withoutText }) };
	if (model === undefined || !isJsonObject(frame["usage"])) return [result];
	const { usage, total_cost_usd } = frame;
	// Clients take the tokens that a turn has written from this frame only.
	const written: StreamFrame = { type: "message_delta", delta: {}, usage };
	return [written, { ...result, modelUsage: { [model]: modelUsage(usage, total_cost_usd) } }];
}

function blockStart(frame: StreamFrame): StreamFrame[] {
	const block = isJsonObject(frame["content_block"]) ? frame["content_block"] : {};
	if (block["type"] === "tool_use") return toolStart(frame, block);
	for (const member of ["text", "thinking"] as const) {
		const grown = block[member];
		if (typeof grown === "string" && grown !== "")
			return [emptied(frame, { ...block, [member]: "" }), delta(frame, { type: `${member}_delta`, [member]: grown })];
	}
	return [frame];
}

function toolStart(frame: StreamFrame, { name, input, ...block }: JsonObject): StreamFrame[] {
	return [
		emptied(frame, { ...block, name: nameOf(name), input: {} }),
		delta(frame, { type: "input_json_delta", partial_json: JSON.stringify(input ?? {}) }),
	];
}

function nameOf(kind: unknown): string {
	const name = String(kind);
	return Object.hasOwn(toolNames, name) ? (toolNames[name] ?? name) : name;
}

function emptied(frame: StreamFrame, content_block: object): StreamFrame {
	return { ...frame, content_block };
}

function delta({ index }: StreamFrame, grown: object): StreamFrame {
	return { type: "content_block_delta", index, delta: grown };
}

function modelUsage(counts: JsonObject, cost: unknown): object {
	return {
		inputTokens: counts["input_tokens"] ?? 0,
		outputTokens: counts["output_tokens"] ?? 0,
		cacheReadInputTokens: counts["cache_read_input_tokens"] ?? 0,
		cacheCreationInputTokens: counts["cache_creation_input_tokens"] ?? 0,
		...(typeof cost === "number" && { costUSD: cost }),
	};
}
