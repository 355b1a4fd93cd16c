/** Selects the requested part of a pod's log that fits into one answer. Pure. */
import type { SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import { answerBytes, jsonBytes } from "#shared/base/answer-size.ts";

/** The levels of log entries, the least one first. */
export const logLevels = ["DEBUG", "INFO", "WARNING", "ERROR"] as const;
export type LogLevel = (typeof logLevels)[number];
export type PodLogEntry = SessionLogs["lines"][number];

/** The most entries that are retained. */
export const maxLogEntries = 2_000;
const defaultLines = 100;

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

function rank(level: string): number {
	return logLevels.findIndex((name) => name === level);
}
