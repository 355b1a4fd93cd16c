/** Selects the requested part of a pod's log that fits into one answer. Pure. */
import type { SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import { stripVTControlCharacters } from "node:util";
import { answerBytes, jsonBytes } from "#shared/base/answer-size.ts";
import { oneLine, plainText } from "#shared/base/one-line.ts";

/** The levels of log entries, the least one first. */
export const logLevels = ["DEBUG", "INFO", "WARNING", "ERROR"] as const;
export type LogLevel = (typeof logLevels)[number];
export type PodLogEntry = SessionLogs["lines"][number];

/** The most entries that are retained. */
export const maxLogEntries = 2_000;
const defaultLines = 100;
/** The longest message of an entry, and the longest of its other texts, in characters. */
export const maxMessageLength = 8_192;
const maxNameLength = 100;

/**
 * Returns the newest entries, oldest first, as many as fit into an answer.
 * @param lines The most entries; at most 2,000; default 100.
 * @param level The least level; an unknown one means DEBUG.
 */
export function logTail(
	entries: readonly PodLogEntry[],
	lines = defaultLines,
	level = "DEBUG",
): Omit<SessionLogs, "session_id"> {
	const least = rank(level.toUpperCase());
	const newest = entries
		.filter((entry) => rank(entry.level) >= least)
		.slice(-Math.min(Math.max(lines, 1), maxLogEntries));
	let from = newest.length;
	let bytes = 0;
	while (from > 0 && (bytes += jsonBytes(newest[from - 1]) + 1) <= answerBytes) from--;
	const fitting = newest.slice(from);
	return { total: entries.length, returned: fitting.length, lines: fitting };
}

/**
 * Returns an entry as a terminal can show it: without colours and control characters, and within the lengths. A pod may
 * have written anything.
 */
export function plainEntry({ time, logger, level, message, timestamp }: PodLogEntry): PodLogEntry {
	return {
		timestamp,
		...(time !== undefined && { time: oneLine(time, maxNameLength) }),
		level: oneLine(level, maxNameLength),
		...(logger !== undefined && { logger: oneLine(logger, maxNameLength) }),
		message: plainText(stripVTControlCharacters(message.slice(0, maxMessageLength)), maxMessageLength),
	};
}

function rank(level: string): number {
	return logLevels.findIndex((name) => name === level);
}
