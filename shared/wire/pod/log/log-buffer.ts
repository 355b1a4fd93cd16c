/** The pod's log: the newest entries are held in memory. */
import { isoTime, now } from "#shared/base/clock.ts";
import type { SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import {
	type PodLogEntry,
	type LogLevel,
	logTail,
	maxLogEntries,
	maxMessageLength,
} from "#shared/wire/pod/log/log-tail.ts";

/** The bound exists because providers that need no key are often given a word like "none". */
const minSecretLength = 8;
const mask = "***";

/** Collects log entries and removes secrets from them. */
export class LogBuffer {
	readonly #entries: PodLogEntry[] = [];
	/** The longest ones first: the replacement of a part of another one would leave the rest of that one. */
	#secrets: readonly string[];
	#added = 0;

	constructor(secrets: readonly string[]) {
		this.#secrets = longestFirst(secrets);
	}

	/**
	 * Adds a text that is removed from every later entry. A text that is too short to be a secret is ignored, because
	 * its removal would only spoil the log.
	 */
	hide(secret: string): void {
		this.#secrets = longestFirst([...this.#secrets, secret]);
	}

	/** The number of entries that were ever added. */
	get added(): number {
		return this.#added;
	}

	/** @param logger The source: `git`, `setup`, the id of the coding agent, or `session-agent`. */
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

	/** Returns the text without secrets, also without a part of one at an end where the text was cut. */
	withoutSecrets(text: string): string {
		const clean = this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, mask), text);
		return this.#secrets.reduce((rest, secret) => withoutEnd(withoutBeginning(rest, secret), secret), clean);
	}

	/** Returns the entries that came after the first `count`, oldest first, as far as they are still in memory. */
	after(count: number): PodLogEntry[] {
		const newer = this.#added - count;
		return newer > 0 ? this.#entries.slice(-newer) : [];
	}

	/**
	 * Returns the newest entries, oldest first, as many as fit one answer.
	 * @param lines At most 2,000; the default is 100.
	 * @param level The lowest level; an unknown level means DEBUG.
	 */
	tail(lines?: number, level?: string): Omit<SessionLogs, "session_id"> {
		return logTail(this.#entries, lines, level);
	}
}

function longestFirst(secrets: readonly string[]): string[] {
	const long = secrets.filter(({ length }) => length >= minSecretLength);
	return [...new Set(long)].toSorted((a, b) => b.length - a.length);
}

/** Masks the end of a text when it is the beginning of a secret. */
function withoutEnd(text: string, secret: string): string {
	const head = secret.slice(0, minSecretLength);
	let at = text.indexOf(head, Math.max(0, text.length - secret.length));
	while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(head, at + 1);
	return at === -1 ? text : text.slice(0, at) + mask;
}

/** Masks the beginning of a text when it is the end of a secret. */
function withoutBeginning(text: string, secret: string): string {
	const tail = secret.slice(-minSecretLength);
	let at = text.lastIndexOf(tail, secret.length - minSecretLength);
	while (at !== -1 && !secret.endsWith(text.slice(0, at + minSecretLength)))
		at = at === 0 ? -1 : text.lastIndexOf(tail, at - 1);
	return at === -1 ? text : mask + text.slice(at + minSecretLength);
}
