/** Limits of rates, told in every way that providers use, and in some that they should not. */
import { json } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { Outcome, Scenario } from "../scenario.ts";

type Headers = Record<string, string>;

function limited(status: number, headers: Headers | (() => Headers), message = "Rate limit exceeded") {
	return ({ send }: Exchange) => send(json(status, { message }, typeof headers === "function" ? headers() : headers));
}

/** Answers the first request so, and the others honestly. */
function first(status: number, headers: Headers, message = "Rate limit exceeded") {
	return ({ number, send, good }: Exchange) => send(number === 1 ? json(status, { message }, headers) : good);
}

const busy: readonly Outcome[] = ["UnavailableError"];
const busyOrPassed: readonly Outcome[] = ["fine", "UnavailableError"];
/** Only GitHub has it; for others it is a refusal. */
const secondary: readonly Outcome[] = ["UnavailableError", "UnauthorizedError", "ForbiddenError"];
const secondaryText =
	"You have exceeded a secondary rate limit. Please wait a few minutes before you try again <script>alert(1)</script>";

const ways: readonly Scenario[] = [
	{ name: "429 once, 1 s", read: busyOrPassed, answer: first(429, { "retry-after": "1" }) },
	{ name: "429 always, 1 s", read: busy, answer: limited(429, { "retry-after": "1" }) },
	{ name: "429 always, 0 s", read: busy, answer: limited(429, { "retry-after": "0" }) },
	{ name: "429, a negative time", read: busy, answer: limited(429, { "retry-after": "-5" }) },
	{ name: "429, a day", read: busy, answer: limited(429, { "retry-after": "86400" }) },
	{ name: "429, a million years", read: busy, answer: limited(429, { "retry-after": "31536000000000000000000" }) },
	{ name: "429, garbage", read: busy, answer: limited(429, { "retry-after": "soon <script>" }) },
	{
		name: "429, a date",
		read: busy,
		answer: limited(429, () => ({ "retry-after": new Date(Date.now() + 7_200_000).toUTCString() })),
	},
	{
		name: "429, a date that has passed",
		read: busy,
		answer: limited(429, { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }),
	},
	{ name: "429 without a time", read: busy, answer: limited(429, {}) },
	{
		name: "429, and a limit that ends in an hour",
		read: busy,
		answer: limited(429, () => ({
			"x-ratelimit-remaining": "0",
			"x-ratelimit-reset": String(Math.floor(Date.now() / 1_000) + 3_600),
			"ratelimit-reset": String(Math.floor(Date.now() / 1_000) + 3_600),
		})),
	},
	{
		name: "403 with no requests left",
		read: secondary,
		answer: limited(403, () => ({
			"x-ratelimit-remaining": "0",
			"x-ratelimit-limit": "5000",
			"x-ratelimit-reset": String(Math.floor(Date.now() / 1_000) + 3_600),
		})),
	},
	{ name: "secondary limit, 60 s", read: secondary, answer: limited(403, { "retry-after": "60" }, secondaryText) },
	{ name: "secondary limit, 1 s", read: secondary, answer: limited(403, { "retry-after": "1" }, secondaryText) },
	{ name: "secondary limit without a time", read: secondary, answer: limited(403, {}, secondaryText) },
	{
		name: "abuse detection",
		read: secondary,
		answer: limited(403, {}, "You have triggered an abuse detection mechanism"),
	},
];

export const limits: readonly Scenario[] = ways.map((way) => ({ ...way, isUndone: true }));
