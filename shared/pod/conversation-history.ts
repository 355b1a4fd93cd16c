/** The part of a conversation that one answer has room for. Pure. */
import type { ConversationTurn } from "../contracts/sessions.ts";
import { answerBytes, cutToJsonBytes, jsonBytes } from "./answer-size.ts";

export interface HistoryPage {
	/** Oldest first. */
	turns: ConversationTurn[];
	/** Older turns were left out. */
	truncated: boolean;
}

/**
 * The newest turns that fit, one at least.
 * @param before Id of a turn: only older ones; none when the turn is not known.
 * @param limit Bytes of JSON; default what one answer holds.
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
/** JSON of the mark, and of what tells that a part was cut. */
const markBytes = 64;

/** The turn, cut where it is longest until it has at most `limit` bytes of JSON: outputs of tools first, the text last. */
export function fitTurn(turn: ConversationTurn, limit: number): ConversationTurn {
	if (jsonBytes(turn) <= limit) return turn;
	const parts = turn.parts.map(cutPart(limit / 4 / Math.max(turn.parts.length, 1)));
	const smaller = { ...turn, parts, metadata: { ...turn.metadata, cut: true } };
	if (jsonBytes(smaller) <= limit) return smaller;
	const rest = jsonBytes({ ...smaller, parts: [], content: "" });
	return { ...smaller, parts: [], content: cutText(turn.content, limit - rest) };
}

/** Cuts every text of a part to its share. */
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

/** The turn without what its tools have put out, which is marked; the same turn when there is nothing of it. */
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
