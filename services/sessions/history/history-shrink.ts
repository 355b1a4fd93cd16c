/** Shrinks the history of turns: first the oldest outputs of tools are removed, then the oldest turns. */
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { dropOutputs, fitTurn } from "#shared/wire/pod/conversation-history.ts";
import { type Entry, type HistoryEntries, maxChunkBytes } from "./history-entries.ts";

/** The most bytes of all turns of a session. */
export const maxTurnBytes = 8 * 1_048_576;
/** The size after shrinking in bytes; the difference avoids shrinking again at once. */
const aimedAtBytes = 7 * 1_048_576;

/** Shrinks the turns; resolves to the bytes of the remaining ones. */
export async function shrinkTurns(entries: HistoryEntries, session: string): Promise<number> {
	const oldestFirst = (await entries.newest(session, "turn")).toReversed();
	let bytes = oldestFirst.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
	if (bytes <= maxTurnBytes) return bytes;
	const remaining: Entry[] = [];
	for (const entry of oldestFirst) {
		const smaller = bytes > aimedAtBytes ? withoutOutputs(entry) : undefined;
		if (smaller) await entries.replace(session, "turn", smaller);
		if (smaller) bytes -= Buffer.byteLength(entry.text) - Buffer.byteLength(smaller.text);
		remaining.push(smaller ?? entry);
	}
	let oldest: Entry | undefined;
	for (const entry of remaining) {
		if (bytes <= aimedAtBytes) break;
		bytes -= Buffer.byteLength(entry.text);
		oldest = entry;
	}
	if (oldest) await entries.removeUpTo(session, "turn", oldest.at);
	return bytes;
}

/** Returns the entry without outputs of tools; undefined when it has none. */
function withoutOutputs(entry: Entry): Entry | undefined {
	const turn: ConversationTurn = JSON.parse(entry.text);
	const bare = dropOutputs(turn);
	return bare === turn ? undefined : { ...entry, text: JSON.stringify(fitTurn(bare, maxChunkBytes)) };
}
