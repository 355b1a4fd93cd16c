/** The pod's log: the newest entries in memory, told to whoever asks. */
import { isoTime, now } from "#shared/clock.ts";
import type { SessionLogs } from "#shared/contracts/sessions.ts";
import { type PodLogEntry, type LogLevel, logTail, maxLogEntries } from "#shared/pod/log-tail.ts";

const maxMessageLength = 8_192;
/** Providers that want no key are often given a word like "none". */
const minSecretLength = 8;

export class LogBuffer {
	readonly #entries: PodLogEntry[] = [];
	readonly #secrets = new Set<string>();
	#added = 0;

	/** @param secrets Texts that are never kept, wherever they come from. */
	constructor(secrets: readonly string[]) {
		for (const secret of secrets) this.hide(secret);
	}

	/** One more text that is never kept. What is too short to be a secret would only spoil the log. */
	hide(secret: string): void {
		if (secret.length >= minSecretLength) this.#secrets.add(secret);
	}

	/** Entries that ever came. */
	get added(): number {
		return this.#added;
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
		this.#added++;
		if (this.#entries.length > maxLogEntries) this.#entries.shift();
	}

	withoutSecrets(text: string): string {
		return [...this.#secrets].reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
	}

	/** The entries that came after the first `count`, oldest first, as far as they are still kept. */
	after(count: number): PodLogEntry[] {
		const newer = this.#added - count;
		return newer > 0 ? this.#entries.slice(-newer) : [];
	}

	/**
	 * The newest entries, oldest first, as many as fit an answer.
	 * @param lines At most 2,000; default 100.
	 * @param level Least level; an unknown one means DEBUG.
	 */
	tail(lines?: number, level?: string): Omit<SessionLogs, "session_id"> {
		return logTail(this.#entries, lines, level);
	}
}
