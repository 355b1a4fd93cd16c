/**
 * Writes the log as one JSON object a line, for programs. Everything that a process prints becomes such a line: what its
 * services log, what it announces, and what ends it. Texts that look like secrets are masked.
 */
import { inspect } from "node:util";
import { currentActor } from "#shared/base/actor.ts";
import { isoTime } from "#shared/base/clock.ts";

type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace";

/** The longest line without its stack, in UTF-16 units. */
const maxText = 8_192;
const maxStack = 4_096;
const mask = "***";

/** Tokens in the forms in which they occur in texts: headers, members, URLs, and tokens as such. */
const secrets: readonly (readonly [RegExp, string])[] = [
	[/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${mask}`],
	[/\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g, mask],
	[/\batelier_[\w-]{43}/g, mask],
	[/\b(gh[a-z]_|glpat-|sk-)[\w-]{16,}/g, `$1${mask}`],
	[/(:\/\/)[^\s/@:]{1,200}:[^\s/@]{1,200}@/g, `$1${mask}@`],
	[
		/(["']?[\w-]{0,40}(?:token|secret|password|passwd|api_?key|private_?key|authorization)["']?\s{0,3}[=:]\s{0,3}["']?)(?!\*\*\*|Bearer|Basic)[^\s"',;&}]{1,4096}/gi,
		`$1${mask}`,
	],
];

/** A line that is ready to be written. */
class LogLine {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

/** The formatter of the framework's logger. */
export function jsonFormatter(level: LogLevel, values: readonly unknown[], { mod }: { mod?: string }): unknown[] {
	return [new LogLine(jsonLine(level, mod ?? "", values))];
}

/** Makes everything that this process prints a line of the log. Call it once, at the start. */
export function printJson(): void {
	const levels = { log: "info", info: "info", warn: "warn", error: "error", debug: "debug" } as const;
	for (const [method, level] of Object.entries(levels)) {
		const output = level === "error" || level === "warn" ? process.stderr : process.stdout;
		Reflect.set(console, method, (...values: unknown[]) => {
			const [first] = values;
			output.write(`${first instanceof LogLine ? first.text : jsonLine(level, "process", values)}\n`);
		});
	}
}

/** Returns the line without its end. */
export function jsonLine(level: LogLevel, service: string, values: readonly unknown[]): string {
	const error = values.find((value) => value instanceof Error);
	const message = redacted(
		values
			.filter((value) => value !== error)
			.map(textOf)
			.join(" "),
	).slice(0, maxText);
	const request_id = currentActor()?.request_id ?? /\bRequest ([\w-]{1,64}) failed\b/.exec(message)?.[1];
	const session_id = /\bsession "([\w-]{1,64})"/.exec(message)?.[1];
	return JSON.stringify({
		time: isoTime(),
		level,
		service: service.toLowerCase(),
		message,
		...(request_id !== undefined && { request_id }),
		...(session_id !== undefined && { session_id }),
		...(error && { error: shownError(error) }),
	});
}

function shownError({ name, message, stack = "" }: Error) {
	return {
		name,
		message: redacted(message).slice(0, maxText),
		stack: redacted(stack).slice(0, maxStack),
	};
}

function textOf(value: unknown): string {
	return typeof value === "string"
		? value
		: inspect(value, { depth: 3, breakLength: Infinity, maxStringLength: maxText });
}

/** Returns the text with everything masked that looks like a secret. */
export function redacted(text: string): string {
	// The rest of a longer text is not shown; the margin is for secrets that the bound would cut.
	return secrets.reduce((shown, [form, instead]) => shown.replace(form, instead), text.slice(0, 2 * maxText));
}
