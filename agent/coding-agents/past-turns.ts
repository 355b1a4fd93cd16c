/** The earlier turns as a text for a coding agent that cannot load its earlier conversation. Pure. */
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";

/** The bounds on the whole text and on one turn, in characters. */
const maxLength = 16_000;
const maxTurn = 2_000;

const heading =
	"This session goes on after a restart. What was said in it before, oldest first, shortened; its changes are in the " +
	"workspace. Do not answer this again:";

/** Returns an empty text when no message was answered yet. */
export function pastTurns(turns: readonly ConversationTurn[]): string {
	const answered = new Set(turns.map(({ metadata }) => metadata["in_reply_to"]));
	const over = turns.filter(({ id, role }) => role === "assistant" || answered.has(id));
	const texts: string[] = [];
	let length = 0;
	for (const turn of over.toReversed()) {
		const text = `${turn.role === "user" ? "User" : "You"}: ${shortened(turn.content)}`;
		length += text.length;
		if (length > maxLength) break;
		texts.unshift(text);
	}
	return texts.length === 0 ? "" : `${heading}\n\n${texts.join("\n\n")}`;
}

function shortened(text: string): string {
	return text.length <= maxTurn ? text : `${text.slice(0, maxTurn)}… (${text.length} characters)`;
}
