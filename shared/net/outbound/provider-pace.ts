/** Reads from an answer whether the provider is busy, and when it wants to be asked again. Pure but for the time. */
import type { IncomingHttpHeaders } from "node:http";
import { now } from "#shared/base/clock.ts";

/** The part of an answer that says so. */
export interface PacedAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** The beginning of the body says whether a 403 is a limit: GitHub's secondary limits may have no header. */
	readonly body?: Buffer | string;
}

/** The longest time that is told to people, in seconds; a longer one is a mistake or bad intent. */
const longestSeconds = 86_400;
const secondaryLimit = /secondary rate limit|rate limit exceeded|abuse detection/i;

/** Whether the provider refused the request because there were too many: 429, or a 403 that says so. */
export function isBusy({ status, headers, body = "" }: PacedAnswer): boolean {
	if (status === 429) return true;
	if (status !== 403) return false;
	const isSpent = headers["x-ratelimit-remaining"] === "0";
	return isSpent || headers["retry-after"] !== undefined || secondaryLimit.test(body.toString().slice(0, 2_000));
}

/** Returns the milliseconds until the provider may be asked again; undefined when it does not say that. */
export function waitOf({ headers }: PacedAnswer): number | undefined {
	const seconds = afterSeconds(headers["retry-after"]) ?? untilReset(headers);
	return seconds === undefined ? undefined : Math.min(Math.max(seconds, 0), longestSeconds) * 1_000;
}

function afterSeconds(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	if (/^\d{1,9}$/.test(text.trim())) return Number(text);
	const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.ceil((date - now()) / 1_000);
}

function untilReset(headers: IncomingHttpHeaders): number | undefined {
	const isSpent = headers["x-ratelimit-remaining"] === "0" || headers["ratelimit-remaining"] === "0";
	const reset = headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"];
	if (!isSpent || typeof reset !== "string" || !/^\d{1,12}$/.test(reset)) return undefined;
	return Math.ceil(Number(reset) - now() / 1_000);
}
