/** Statuses that are errors, that pass, or that lie, and texts in errors that nobody may repeat. */
import { headOf, json } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { Outcome, Scenario } from "../scenario.ts";

function always(status: number, message = "No", headers: Record<string, string> = {}) {
	return ({ send }: Exchange) =>
		send(json(status, { message, errorMessages: [message], errors: [{ message }] }, headers));
}

/** Answers the first request so, and the others honestly. */
function once(status: number) {
	return ({ number, send, good }: Exchange) => send(number === 1 ? json(status, { message: "Oops" }) : good);
}

/** Repeats what the request brought along, as a careless proxy does. */
function echo(status: number) {
	return ({ asked: { headers }, send }: Exchange) => {
		const message = `Not with ${headers.authorization ?? ""} ${String(headers["private-token"] ?? "")}`;
		send(json(status, { message, error: message, errorMessages: [message], errors: [{ message }] }));
	};
}

const failed: readonly Outcome[] = ["UpstreamError", "UnavailableError"];
const refused: readonly Outcome[] = ["UnauthorizedError", "ForbiddenError"];
/** A change that the provider understood and refused. */
const declined: readonly Outcome[] = ["ConflictError", "UnprocessableError", "UpstreamError", "BadRequestError"];
const absent: readonly Outcome[] = ["NotFoundError"];
const long = "A very long sentence\r\n\u001b[31m<script>alert(1)</script>\u0000 ".repeat(10_000);

export const statuses: readonly Scenario[] = [
	{
		name: "400",
		read: ["UpstreamError", "UnprocessableError", "BadRequestError"],
		write: declined,
		answer: always(400),
	},
	{ name: "401", read: ["UnauthorizedError"], answer: always(401) },
	{ name: "401 that repeats the token", read: ["UnauthorizedError"], answer: echo(401) },
	{ name: "403", read: refused, answer: always(403) },
	{ name: "404", read: absent, write: [...absent, ...declined], answer: always(404) },
	{ name: "405", read: ["UpstreamError", "ConflictError"], write: declined, answer: always(405) },
	{ name: "409", read: ["UpstreamError", "ConflictError"], write: declined, answer: always(409) },
	{ name: "410", read: ["UpstreamError", ...absent], write: [...absent, ...declined], answer: always(410) },
	{ name: "418", read: ["UpstreamError"], write: declined, answer: always(418) },
	{ name: "422", read: ["UpstreamError", "UnprocessableError"], write: declined, answer: always(422) },
	{
		name: "422 that repeats the token",
		read: ["UpstreamError", "UnprocessableError"],
		write: declined,
		answer: echo(422),
	},
	{
		name: "422 with a text of 500 KB",
		read: ["UpstreamError", "UnprocessableError"],
		write: declined,
		answer: always(422, long),
	},
	{
		name: "451",
		read: ["UpstreamError", ...refused, ...absent],
		write: [...refused, ...absent, ...declined],
		answer: always(451),
	},
	{ name: "500 once", read: ["fine", ...failed], write: failed, answer: once(500) },
	{ name: "502 once", read: ["fine", ...failed], write: failed, answer: once(502) },
	{ name: "503 once", read: ["fine", ...failed], write: failed, answer: once(503) },
	{ name: "500 always", read: failed, answer: always(500, long) },
	{ name: "503 that says when", read: failed, answer: always(503, "Maintenance", { "retry-after": "3600" }) },
	{ name: "599", read: failed, answer: always(599) },
	{
		name: "a status of three digits that is none",
		read: failed,
		write: failed,
		answer: ({ socket }) => void socket.end("HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\n{}"),
	},
	{
		name: "304 that nobody asked for",
		read: failed,
		answer: ({ send }) => send({ status: 304, headers: { etag: '"lie"' }, body: "" }),
	},
	{
		name: "a tag that never changes",
		read: ["fine"],
		answer: ({ send, good }) =>
			send({ ...good, headers: { ...good.headers, etag: '"always"', "cache-control": "max-age=31536000" } }),
	},
	{
		name: "300 early hints",
		read: ["fine"],
		answer({ socket, good: { status, headers, body } }) {
			socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(300));
			const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(body)) };
			socket.end(headOf(status, { ...headers, ...length, connection: "close" }) + body);
		},
	},
	{
		name: "a second answer behind the first",
		read: ["fine"],
		answer({ socket, good: { status, headers, body } }) {
			const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(body)) };
			const first = headOf(status, { ...headers, ...length }) + body;
			const poison = '{"login":"poison","title":"poison","name":"poison","full_name":"poison/poison"}';
			socket.write(
				`${first}${headOf(200, { "content-type": "application/json", "content-length": String(poison.length) })}${poison}`,
			);
		},
	},
];
