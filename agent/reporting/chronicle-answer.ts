/** The question to the coding agent at the end, and the check of its answer against the facts from git. Pure. */
import { basename } from "node:path";
import type { ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import { parseJsonObject, textOf } from "#shared/base/schema/parsed-json.ts";
import type { SessionFacts } from "../timeline/timeline.ts";

export const chronicleQuestion = `The session ends now. Sum up what was done in it, for the person who will go on with the work.
Use no tools. Answer with one JSON object and nothing else, in this form:
{"summary": "two or three sentences", "key_changes": ["one change each"], "unfinished_work": "what is left to do, or an empty string"}`;

export interface SaidChronicle {
	readonly summary: string;
	readonly keyChanges: readonly string[];
	readonly unfinishedWork: string;
}

const maxProse = 4_000;
const maxChanges = 50;
const maxChange = 300;
/** The largest number of files that are added because the agent does not mention them. */
const maxUnsaid = 10;

/** Reads the object from a text that may surround it with anything; undefined when there is no valid one. */
export function readChronicle(answer: string): SaidChronicle | undefined {
	const said = parseJsonObject(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
	if (!said) return undefined;
	const { summary, key_changes: changes, unfinished_work: unfinished } = said;
	const keyChanges = Array.isArray(changes) ? changes.flatMap((change) => textOf(change)?.trim() || []) : [];
	const read = { summary: proseOf(summary), keyChanges, unfinishedWork: proseOf(unfinished) };
	return read.summary === "" && keyChanges.length === 0 && read.unfinishedWork === "" ? undefined : read;
}

/**
 * Makes the report from the agent's words, if there are any, and from the facts of git. Key changes are dropped when
 * nothing has changed, and changed files that the agent does not mention are added.
 */
export function chronicleReport(said: SaidChronicle | undefined, facts: SessionFacts): ChronicleReport {
	const { summary = "", unfinishedWork = "", keyChanges = [] } = said ?? {};
	const hasChanged = facts.files.length > 0 || facts.commits.length > 0;
	const changes = keyChanges.length === 0 ? knownChanges(facts) : [...keyChanges, ...unsaid(keyChanges, facts)];
	return {
		...(summary !== "" && { summary }),
		...(unfinishedWork !== "" && { unfinished_work: unfinishedWork }),
		key_changes: hasChanged ? changes.slice(0, maxChanges).map((change) => change.slice(0, maxChange)) : [],
		duration_seconds: facts.seconds,
	};
}

/** Returns the commits, oldest first, and then the files. */
function knownChanges({ commits, files }: SessionFacts): string[] {
	const made = commits.map(({ hash, subject }) => `${hash.slice(0, 7)} ${subject}`);
	const changed = files.map(({ path, status, ins, del }) => `${words[status]} ${path} (+${ins} -${del})`);
	const all = [...made, ...changed];
	if (all.length <= maxChanges) return all;
	return [...all.slice(0, maxChanges - 1), `and ${all.length - maxChanges + 1} more`];
}

const words = { new: "Added", mod: "Changed", del: "Deleted" } as const;

function unsaid(keyChanges: readonly string[], { files }: SessionFacts): string[] {
	const all = keyChanges.join("\n");
	const left = files.filter(({ path }) => !all.includes(basename(path))).map(({ path }) => path);
	if (left.length === 0) return [];
	const more = left.length > maxUnsaid ? ` and ${left.length - maxUnsaid} more` : "";
	return [`Also changed: ${left.slice(0, maxUnsaid).join(", ")}${more}`];
}

function proseOf(value: unknown): string {
	return (textOf(value) ?? "").trim().slice(0, maxProse);
}
