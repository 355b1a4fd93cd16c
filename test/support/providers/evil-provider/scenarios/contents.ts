/** Answers that are JSON, but not what was asked for. */
import type { Answer } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { Outcome, Scenario } from "../scenario.ts";

type Change = (value: unknown, name: string) => unknown;

/** A result of the right form, or an error that says that the answer has another one. */
const formed: readonly Outcome[] = ["fine", "other", "UpstreamError"];
/** A change may also take such an answer for a refusal. */
const changed: readonly Outcome[] = [...formed, "ConflictError", "NotFoundError", "UnprocessableError"];

/** Changes each value that is no list and no object. */
function deep(value: unknown, change: Change, name = ""): unknown {
	if (Array.isArray(value)) return value.map((item) => deep(item, change, name));
	if (typeof value !== "object" || value === null) return change(value, name);
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item, change, key)]));
}

function bodyOf({ body }: Answer): unknown {
	return body === "" ? {} : JSON.parse(body);
}

function every(change: Change) {
	return ({ send, good }: Exchange) => send({ ...good, body: JSON.stringify(deep(bodyOf(good), change)) });
}

/** Writes each member twice, with another value behind the good one. */
function doubled(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(doubled).join()}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	return `{${Object.entries(value)
		.map(([name, item]) => `${JSON.stringify(name)}:${doubled(item)},${JSON.stringify(name)}:{"second":true}`)
		.join()}}`;
}

export const contents: readonly Scenario[] = [
	{ name: "null everywhere", read: formed, write: changed, answer: every(() => null) },
	{ name: "objects everywhere", read: formed, write: changed, answer: every(() => ({ toString: "x" })) },
	{ name: "lists everywhere", read: formed, write: changed, answer: every(() => [[]]) },
	{ name: "numbers everywhere", read: formed, write: changed, answer: every(() => -1) },
	{
		name: "huge numbers",
		read: formed,
		write: changed,
		answer: every((value) => (typeof value === "number" ? 1e308 : value)),
	},
	{
		name: "long texts",
		read: formed,
		write: changed,
		answer: every((value) => (typeof value === "string" ? value + "x".repeat(20_000) : value)),
	},
	{
		name: "control characters in texts",
		read: formed,
		write: changed,
		answer: every((value) => (typeof value === "string" ? `${value}\u0000\u001b[2J\r\nX: y` : value)),
	},
	{
		name: "URLs that are scripts",
		read: formed,
		write: changed,
		answer: every((value, name) => (/url$/i.test(name) ? "javascript:alert(1)" : value)),
	},
	{
		name: "everything twice",
		read: formed,
		write: changed,
		answer: ({ send, good }) => send({ ...good, body: doubled(bodyOf(good)) }),
	},
	{
		name: "the answer of somebody else",
		read: formed,
		write: changed,
		answer: ({ send, good }) =>
			send({ ...good, status: 200, body: '{"access_token":"x","id":1,"items":[{"id":"1"}]}' }),
	},
	{
		name: "a list where an object belongs, and the other way round",
		read: ["UpstreamError", "other"],
		write: changed,
		answer({ send, good }) {
			const value = bodyOf(good);
			send({ ...good, body: JSON.stringify(Array.isArray(value) ? { data: value } : [value]) });
		},
	},
];
