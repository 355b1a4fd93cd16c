/**
 * Writes an answer as frames of the chat, in the names of the contract's stream: a message of content blocks that
 * start, grow and stop, then the complete message, then its result. The index of a block is that of the turn's part.
 */
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import { endInFence } from "#shared/wire/pod/fenced-output.ts";
import type { StreamFrame } from "#shared/wire/pod/frames.ts";
import type { AssistantTurn, TurnPart } from "../conversation/assistant-turn.ts";
import type { AgentUpdate, ToolUpdate } from "../coding-agents/coding-agent.ts";

/** The last characters of a tool's output that are shown, while it runs and afterwards; the conversation has all. */
const liveOutput = 8_192;
const finalOutput = 65_536;
/** The bound in characters on a turn for a client that connects during it; the newest blocks have precedence. */
const catchUpLength = 524_288;
/** The bound on one delta, and on the end of a block's text that is sent late, in characters. */
const deltaLength = 65_536;

/** The number of tools of one turn that are shown; a turn has no more parts. */
const maxTools = 2_000;

/** The reasons of the end of a turn that is not complete, although nobody asked for its end. */
const failures = new Set<unknown>(["error", "interrupted", "budget"]);

type TextBlock = "text" | "reasoning";

/** The usage of the model calls of a turn. */
export interface TurnUsage {
	readonly tokens: TokenCounts;
	/** The cost in US dollars; undefined when the model has no price. */
	readonly cost?: number | undefined;
}

export class TurnFrames {
	#index = -1;
	/** The block of text that is not complete. */
	#growing: TextBlock | undefined;
	/** The tools that have not ended, by id. */
	readonly #running = new Map<string, { readonly index: number; output: string }>();
	readonly #seen = new Set<string>();
	/** The ids of the tools, by the index of their block. */
	readonly #tools = new Map<number, string>();
	#hasPlan = false;

	began(turn: Pick<AssistantTurn, "id" | "question">): StreamFrame[] {
		return [messageStart(turn)];
	}

	updated(update: AgentUpdate): StreamFrame[] {
		if (update.type === "tool") return this.#tool(update);
		if (update.type === "plan") return this.#plan(update.entries);
		return this.#text(update.type, update.text);
	}

	/**
	 * @param turnCount The number of answers, including this one.
	 * @param used The usage; undefined when it is not counted.
	 */
	ended({ id, content, parts, metadata }: ConversationTurn, turnCount: number, used?: TurnUsage): StreamFrame[] {
		const { stop_reason, in_reply_to, error } = metadata;
		const isError = failures.has(stop_reason);
		return [
			...this.#stopText(),
			...[...this.#running.values()].map(({ index }) => stop(index)),
			{ type: "message_stop" },
			{
				type: "assistant",
				message: { id, role: "assistant", content: parts.map((part) => blockOf(part)) },
				in_reply_to,
			},
			{
				type: "result",
				subtype: isError ? "error_during_execution" : "success",
				is_error: isError,
				stop_reason,
				turn_id: id,
				in_reply_to,
				num_turns: turnCount,
				result: endInFence(content, finalOutput),
				...(used && { usage: usageOf(used.tokens) }),
				...(used?.cost !== undefined && { total_cost_usd: used.cost }),
				...(error !== undefined && { error }),
			},
		];
	}

	/** Returns the frames of the turn so far, for a client that connects now. */
	missed(turn: AssistantTurn): StreamFrame[] {
		const blocks: StreamFrame[] = [];
		let room = catchUpLength;
		for (let index = turn.parts.length - 1; index >= 0 && room > 0; index--) {
			const frame = this.#start(index, shortened(turn.parts[index]));
			room -= JSON.stringify(frame).length;
			blocks.unshift(frame);
		}
		return [{ ...messageStart(turn), truncated: blocks.length < turn.parts.length }, ...blocks];
	}

	#start(index: number, part: TurnPart | undefined): StreamFrame {
		return { type: "content_block_start", index, content_block: blockOf(part, this.#tools.get(index)) };
	}

	#text(type: TextBlock, text: string): StreamFrame[] {
		if (text === "") return [];
		const frames: StreamFrame[] = [];
		if (this.#growing !== type) {
			frames.push(...this.#stopText());
			this.#growing = type;
			frames.push(this.#start(++this.#index, { type, text: "" }));
		}
		for (let from = 0; from < text.length; from += deltaLength) {
			frames.push(delta(this.#index, type, text.slice(from, from + deltaLength)));
		}
		return frames;
	}

	#stopText(): StreamFrame[] {
		if (this.#growing === undefined) return [];
		this.#growing = undefined;
		return [stop(this.#index)];
	}

	#tool(update: ToolUpdate): StreamFrame[] {
		const frames: StreamFrame[] = [];
		if (!this.#seen.has(update.id) && this.#seen.size < maxTools)
			frames.push(...this.#stopText(), this.#announce(update));
		const running = this.#running.get(update.id);
		if (!running) return frames;
		const { index } = running;
		running.output = update.output?.slice(-finalOutput) ?? running.output;
		if (update.status === "completed" || update.status === "failed") {
			this.#running.delete(update.id);
			return [...frames, stop(index), toolResult(update, running.output)];
		}
		return frames.length > 0 ? frames : [toolOutput(update, index)];
	}

	#announce(update: ToolUpdate): StreamFrame {
		const index = ++this.#index;
		this.#seen.add(update.id);
		this.#tools.set(index, update.id);
		this.#running.set(update.id, { index, output: "" });
		const { id: _id, ...part } = update;
		return this.#start(index, part);
	}

	/** A plan has one block, at the position where it first appeared. */
	#plan(entries: object[]): StreamFrame[] {
		if (this.#hasPlan) return [{ type: "plan", entries }];
		this.#hasPlan = true;
		const frames = this.#stopText();
		this.#index++;
		return [...frames, { type: "plan", entries }];
	}
}

/** Returns the usage in the names of the contract's stream. */
export function usageOf({ input, output, cache_read, cache_write }: TokenCounts): object {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_input_tokens: cache_read,
		cache_creation_input_tokens: cache_write,
	};
}

function messageStart({ id, question }: Pick<AssistantTurn, "id" | "question">): StreamFrame {
	return { type: "message_start", message: { id, role: "assistant", content: [] }, in_reply_to: question };
}

function stop(index: number): StreamFrame {
	return { type: "content_block_stop", index };
}

function delta(index: number, type: TextBlock, text: string): StreamFrame {
	const grown = type === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
	return { type: "content_block_delta", index, delta: grown };
}

function toolOutput({ id, output, ...changes }: ToolUpdate, index: number): StreamFrame {
	const shown = output === undefined ? {} : { output: output.slice(-liveOutput) };
	return { ...changes, type: "tool_output", tool_use_id: id, index, ...shown };
}

function toolResult({ id, status, exit_code }: ToolUpdate, output: string): StreamFrame {
	const result = {
		type: "tool_result",
		tool_use_id: id,
		content: output,
		is_error: status === "failed",
		...(exit_code !== undefined && { exit_code }),
	};
	return { type: "user", message: { role: "user", content: [result] } };
}

function shortened(part: TurnPart | undefined): TurnPart | undefined {
	if (part?.type !== "text" && part?.type !== "reasoning") return part;
	return { ...part, text: part.text.slice(-deltaLength) };
}

/** Returns a part in the contract's form; a part of an unknown form is unchanged. */
function blockOf(part: unknown, toolId?: string): object {
	const { type, text, ...rest }: Record<string, unknown> = Object(part);
	if (type === "text") return { type: "text", text };
	if (type === "reasoning") return { type: "thinking", thinking: text };
	return type === "tool" ? toolBlock(rest, toolId) : { type, ...rest };
}

function toolBlock(part: Record<string, unknown>, toolId?: string): object {
	const { kind, title, command, status, output, exit_code } = part;
	return {
		type: "tool_use",
		...(toolId !== undefined && { id: toolId }),
		name: kind ?? "other",
		title: title ?? "",
		input: command === undefined ? {} : { command },
		status: status ?? "pending",
		...(exit_code !== undefined && { exit_code }),
		...(typeof output === "string" && { output: output.slice(-liveOutput) }),
	};
}
