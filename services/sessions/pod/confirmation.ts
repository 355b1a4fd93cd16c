/** Reads the frames of a connection for confirmations, which a pod may have forged. */
import { oneLine } from "#shared/base/one-line.ts";
import { parsed } from "./pod-answer.ts";

interface Confirmation {
	readonly id: string;
	/** Why the pod refuses the message; absent when it has taken it. */
	readonly refusal?: string;
}

/** The longest frame that is parsed, in bytes. */
const maxParsed = 8_192;
/** The longest refusal that is passed on, in characters. */
const maxRefusal = 500;

/** Returns what the frame says about a message; undefined when it says nothing. */
export function confirmationIn(frame: Buffer): Confirmation | undefined {
	if (frame.length > maxParsed) return undefined;
	const read = parsed(frame.toString("utf8"));
	if (typeof read !== "object" || read === null) return undefined;
	const { id, type, content }: { id?: unknown; type?: unknown; content?: unknown } = read;
	if (typeof id !== "string") return undefined;
	if (type === "user_confirmed") return { id };
	return type === "error" ? { id, refusal: refusalOf(content) } : undefined;
}

function refusalOf(content: unknown): string {
	const said = typeof content === "string" ? oneLine(content, maxRefusal) : "";
	return said === "" ? "The session's pod refused the message" : said;
}
