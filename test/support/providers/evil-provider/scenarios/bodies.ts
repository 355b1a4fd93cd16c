/** Bodies that are too large, not what they say, or not JSON. */
import { gzipSync } from "node:zlib";
import { headOf, pour } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { Scenario } from "../scenario.ts";

const broken = { read: ["UpstreamError"], write: ["UpstreamError"] } as const;
const gigabyte = 1_073_741_824;
/** 256 MB of zeros; twice compressed, a gigabyte would fit into these bytes. */
const bomb = gzipSync(Buffer.alloc(gigabyte / 4));
const blanks = Buffer.alloc(1_048_576, " ");
const type = "application/json";

function body(bytes: string | Buffer, headers: Record<string, string> = {}) {
	return ({ response }: Exchange) => void response.writeHead(200, { "content-type": type, ...headers }).end(bytes);
}

export const bodies: readonly Scenario[] = [
	{
		name: "body of 1 GB",
		...broken,
		answer({ socket }) {
			socket.write(headOf(200, { "content-type": type, "content-length": String(gigabyte) }));
			pour(socket, blanks, gigabyte);
		},
	},
	{
		name: "body without end",
		...broken,
		answer({ socket }) {
			socket.write(headOf(200, { "content-type": type, connection: "close" }));
			pour(socket, blanks);
		},
	},
	{ name: "gzip bomb", ...broken, answer: body(bomb, { "content-encoding": "gzip" }) },
	{ name: "gzip that is none", ...broken, answer: body("{}", { "content-encoding": "gzip" }) },
	{
		name: "gzip that breaks off",
		...broken,
		answer: body(gzipSync("[]").subarray(0, 12), { "content-encoding": "gzip" }),
	},
	{ name: "unknown compression", ...broken, answer: body("{}", { "content-encoding": "zstd, gzip" }) },
	{ name: "HTML", ...broken, answer: body("<html><script>alert(1)</script></html>", { "content-type": "text/html" }) },
	{ name: "HTML that calls itself JSON", ...broken, answer: body("<html><script>alert(1)</script></html>") },
	{
		name: "JSON that calls itself something else",
		read: ["UpstreamError", "fine"],
		answer: ({ send, good }) => send({ ...good, headers: { ...good.headers, "content-type": "image/png" } }),
	},
	{
		name: "JSON that breaks off",
		...broken,
		answer: ({ send, good }) => send({ ...good, status: 200, body: `{"a":${good.body.slice(0, 20)}` }),
	},
	{ name: "an empty body", ...broken, answer: body("") },
	{
		name: "204 with a body",
		...broken,
		write: ["UpstreamError", "fine"],
		answer: ({ socket, good }) => void socket.end(headOf(204, { "content-length": "5000" }) + good.body),
	},
	{ name: "100,000 brackets", ...broken, answer: body("[".repeat(100_000) + "]".repeat(100_000)) },
	{
		name: "100,000 objects in each other",
		...broken,
		answer: body(`${'{"data":'.repeat(100_000)}1${"}".repeat(100_000)}`),
	},
	{ name: "bytes that are no UTF-8", ...broken, answer: body(Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22])) },
	{ name: "a number", ...broken, answer: body("1e999") },
	{ name: "null", ...broken, answer: body("null") },
	{ name: "a text", ...broken, answer: body('"Bad credentials"') },
	{ name: "an empty object", ...broken, write: ["UpstreamError", "fine"], answer: body("{}") },
	{ name: "a list of nothing", ...broken, answer: body("[null, null]") },
	{
		name: "a prototype",
		...broken,
		answer: body('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
	},
];
