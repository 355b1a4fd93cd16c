/** Writes the title and the description of a session's pull request when the caller does not. Pure. */
import type { Chronicle } from "#shared/contracts/sessions/chronicles.ts";

const maxTitle = 250;
const maxDescription = 60_000;

/** Returns the title in one line. */
export function pullTitle(given: string | null | undefined, sessionName: string): string {
	const line = (given ?? "").replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
	return (line === "" ? `Session: ${sessionName}` : line).slice(0, maxTitle);
}

type Told = Pick<Chronicle, "summary" | "key_changes" | "unfinished_work">;

/** Returns the summary of the chronicle with its key changes and what remains; empty without a chronicle. */
export function pullDescription(chronicle: Told | undefined): string {
	if (!chronicle) return "";
	const { summary, key_changes, unfinished_work } = chronicle;
	const parts = [
		summary ?? "",
		key_changes.length > 0 ? `## Key Changes\n${key_changes.map((change) => `- ${change}`).join("\n")}` : "",
		unfinished_work ? `## Remaining Work\n${unfinished_work}` : "",
	];
	return parts
		.filter((part) => part !== "")
		.join("\n\n")
		.slice(0, maxDescription);
}
