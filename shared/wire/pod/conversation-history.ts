/** Selects the part of a conversation that fits into one answer. Pure. */
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { answerBytes, cutToJsonBytes, jsonBytes } from "#shared/base/answer-size.ts";

export interface HistoryPage {
	/** Oldest first. */
	turns: ConversationTurn[];
	/** Whether older turns were omitted. */
	truncated: boolean;
}

/**
 * Returns the newest turns that fit, at least one.
 * @param before The id of a turn: only older ones are returned; none when the turn is unknown.
 * @param limit Bytes of JSON; default: the bound of one answer.
 */
export function historyPage(turns: readonly ConversationTurn[], before?: string, limit = answerBytes): HistoryPage {
	const end =
		before === undefined
			? turns.length
			: Math.max(
					turns.findIndex(({ id }) => id === before),
					0,
				);
	let from = end;
	let bytes = 0;
	while (from > 0 && (bytes += jsonBytes(turns[from - 1]) + 1) <= limit) from--;
	const newest = turns[end - 1];
	if (from === end && newest) return { turns: [fitTurn(newest, limit)], truncated: end > 1 };
	return { turns: turns.slice(from, end), truncated: from > 0 };
}

const mark = "\n… cut …";
/** The bytes of the mark and of the member that says that a part was cut. */
const markBytes = 64;

/** Returns the turn with at most `limit` bytes of JSON: outputs of tools are cut first, the text last. */
export function fitTurn(turn: ConversationTurn, limit: number): ConversationTurn {
	if (jsonBytes(turn) <= limit) return turn;
	const parts = turn.parts.map(cutPart(limit / 4 / Math.max(turn.parts.length, 1)));
	const smaller = { ...turn, parts, metadata: { ...turn.metadata, cut: true } };
	if (jsonBytes(smaller) <= limit) return smaller;
	const rest = jsonBytes({ ...smaller, parts: [], content: "" });
	return { ...smaller, parts: [], content: cutText(turn.content, limit - rest) };
}

/** Cuts every text of a part to its share of bytes. */
function cutPart(share: number): (part: unknown) => unknown {
	return (part) => {
		if (typeof part !== "object" || part === null) return part;
		const entries = Object.entries(part);
		return Object.fromEntries(
			entries.map(([name, value]) => [name, typeof value === "string" ? cutText(value, share) : value]),
		);
	};
}

function cutText(text: string, bytes: number): string {
	return jsonBytes(text) <= bytes ? text : cutToJsonBytes(text, bytes - markBytes) + mark;
}

/** Returns the turn without the outputs of its tools, which are marked as dropped; the same object when it has none. */
export function dropOutputs(turn: ConversationTurn): ConversationTurn {
	if (!turn.parts.some(hasOutput)) return turn;
	return { ...turn, parts: turn.parts.map((part) => (hasOutput(part) ? withoutOutput(part) : part)) };
}

function hasOutput(part: unknown): part is { output: unknown } {
	return typeof part === "object" && part !== null && "output" in part;
}

function withoutOutput({ output: _dropped, ...part }: { output: unknown }): object {
	return { ...part, output_dropped: true };
}
