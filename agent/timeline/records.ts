/** Makes the records of each thing that happens: its entry of the timeline and its raw event. Pure. */
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { ChangedFile } from "#shared/wire/pod/changed-files.ts";
import { withoutFence } from "#shared/wire/pod/fenced-output.ts";
import { textOf } from "#shared/base/schema/parsed-json.ts";
import type { Commit } from "./commit-list.ts";
import type { TimelineRecord } from "./timeline-log.ts";
import type { FinishedCall } from "./tool-calls.ts";

const maxLine = 200;
const maxPath = 1_024;
/** The bound on changed files of one look that get an entry each. */
const maxFiles = 200;
/** The bound on a commit's hash, in characters. */
const maxHash = 40;

const actions = { new: "created", mod: "modified", del: "deleted" } as const;
const fileEvents = { new: "file_created", mod: "file_modified", del: "file_deleted" } as const;

/** Returns the first line that is not blank, cut to {@link maxLine} characters. */
export function firstLine(text: string, fallback = ""): string {
	const line = text.split(/[\r\n]/).find((one) => one.trim() !== "");
	return (line?.trim() ?? fallback).slice(0, maxLine);
}

export function messageRecords({ content }: ConversationTurn, at: string): TimelineRecord[] {
	const data = { content_length: content.length, content_preview: firstLine(content) };
	return [{ event: { event_type: "message_user", timestamp: at, data } }];
}

/**
 * @param number The number of the turn, from 1.
 * @param tokens The tokens of the turn; undefined when they are not counted.
 */
export function answerRecords(
	{ content, metadata }: ConversationTurn,
	number: number,
	at: string,
	tokens?: TokenCounts,
): TimelineRecord[] {
	const finish_reason = textOf(metadata["stop_reason"]) ?? "";
	const error = textOf(metadata["error"]);
	const said = withoutFence(content);
	const data = { content_length: content.length, content_preview: firstLine(said), finish_reason };
	const label = firstLine(said, `Turn ${number}`);
	const counted = tokens && { tokens_in: totalTokens(tokens) - tokens.output, tokens_out: tokens.output };
	return [
		...(error === undefined ? [] : errorRecords(error, "turn", at)),
		{ entry: { at, type: "message", label, ...(tokens && { tokens: totalTokens(tokens) }) } },
		{ event: { event_type: "message_assistant", timestamp: at, data, ...counted } },
	];
}

export function noteRecords(sentence: string, at: string): TimelineRecord[] {
	return [{ entry: { at, type: "session", label: firstLine(sentence) } }];
}

export function errorRecords(sentence: string, source: string, at: string): TimelineRecord[] {
	const message = firstLine(sentence, "Unknown error");
	return [
		{ entry: { at, type: "error", label: message } },
		{ event: { event_type: "error", timestamp: at, data: { source, message } } },
	];
}

export function callRecords(call: FinishedCall, at: string): TimelineRecord[] {
	const { kind, title, command, durationMs: duration_ms } = call;
	const data = { tool: kind, arguments_preview: firstLine(command ?? title), duration_ms };
	const used: TimelineRecord = { event: { event_type: "tool_use", timestamp: at, data, duration_ms } };
	return kind === "execute" || command !== undefined ? [used, ...commandRecords(call, at)] : [used];
}

/** An agent that does not report an exit code reports at least whether the command succeeded. */
function commandRecords(call: FinishedCall, at: string): TimelineRecord[] {
	const { title, hasFailed, exitCode: exit = Number(hasFailed), durationMs: duration_ms } = call;
	const label = firstLine(call.command ?? title, "Command");
	const data = { command: label, exit_code: exit, duration_ms };
	return [
		{ entry: { at, type: "terminal", label, exit } },
		{ event: { event_type: "terminal_command", timestamp: at, data, duration_ms } },
	];
}

export function fileRecords(files: readonly ChangedFile[], at: string): TimelineRecord[] {
	const reported = files.slice(0, maxFiles).flatMap((file) => fileRecord(file, at));
	const others = files.length - maxFiles;
	if (others <= 0) return reported;
	return [...reported, { entry: { at, type: "session", label: `${others} more files have changed` } }];
}

function fileRecord({ path, status, ins, del }: ChangedFile, at: string): TimelineRecord[] {
	const label = path.slice(-maxPath);
	const counts = { insertions: ins, deletions: del };
	const data = { path: label, ...(status === "mod" && counts) };
	return [
		{ entry: { at, type: "file", label, action: actions[status], ins, del } },
		{ event: { event_type: fileEvents[status], timestamp: at, data } },
	];
}

/** A commit has a time of its own, but its record has the time at which it was seen, so that the order is right. */
export function commitRecords(commits: readonly Commit[], at: string): TimelineRecord[] {
	return commits.flatMap(({ hash, subject, files }): TimelineRecord[] => {
		const label = firstLine(subject, "Commit without a message");
		const data = { hash, message: label, files_changed: files };
		return [
			{ entry: { at, type: "git", label, hash: hash.slice(0, maxHash) } },
			{ event: { event_type: "git_commit", timestamp: at, data } },
		];
	});
}
