/** The pod's log: the newest entries in memory, told to whoever asks. */
import { isoTime, now } from "#shared/clock.ts";
import type { SessionLogs } from "#shared/contracts/sessions.ts";
import { answerBytes, jsonBytes } from "#shared/pod/answer-size.ts";

export const logLevels = ["DEBUG", "INFO", "WARNING", "ERROR"] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogEntry = SessionLogs["lines"][number];

const maxEntries = 2_000;
const maxMessageLength = 8_192;
const defaultLines = 100;

export class LogBuffer {
	readonly #entries: LogEntry[] = [];
	readonly #secrets: readonly string[];

	/** @param secrets Texts that are never kept, wherever they come from. */
	constructor(secrets: readonly string[]) {
		this.#secrets = secrets.filter((secret) => secret !== "");
	}

	/** @param logger Who says it: `git`, `setup`, the id of the coding agent, or `session-agent`. */
	add(level: LogLevel, logger: string, message: string): void {
		const time = now();
		this.#entries.push({
			timestamp: time / 1_000,
			time: isoTime(time),
			level,
			logger,
			message: this.withoutSecrets(message).slice(0, maxMessageLength),
		});
		if (this.#entries.length > maxEntries) this.#entries.shift();
	}

	withoutSecrets(text: string): string {
		return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
	}

	/**
	 * The newest entries, oldest first, as many as fit an answer.
	 * @param lines At most 2,000; default 100.
	 * @param level Least level; an unknown one means DEBUG.
	 */
	tail(lines = defaultLines, level = "DEBUG"): Omit<SessionLogs, "session_id"> {
		const least = logLevels.findIndex((name) => name === level.toUpperCase());
		const wanted = this.#entries.filter((entry) => logLevels.findIndex((name) => name === entry.level) >= least);
		const newest = wanted.slice(-Math.min(Math.max(lines, 1), maxEntries));
		let from = newest.length;
		let bytes = 0;
		while (from > 0 && (bytes += jsonBytes(newest[from - 1]) + 1) <= answerBytes) from--;
		const fitting = newest.slice(from);
		return { total: this.#entries.length, returned: fitting.length, lines: fitting };
	}
}
