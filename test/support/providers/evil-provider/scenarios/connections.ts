/** Connections that break, keep silent, or do not speak the protocol. */
import { drip, headOf, pour } from "../answer.ts";
import type { Scenario } from "../scenario.ts";

const broken = { read: ["UpstreamError"], write: ["UpstreamError"] } as const;
const late = { read: ["TimeoutError"], write: ["TimeoutError"], isSlow: true } as const;

function* endlessly(text: string): Generator<string> {
	for (;;) yield text;
}

export const connections: readonly Scenario[] = [
	{ name: "reset when connecting", ...broken, meet: (socket) => socket.resetAndDestroy() },
	{ name: "closed without an answer", ...broken, answer: ({ socket }) => void socket.end() },
	{ name: "reset after the question", ...broken, answer: ({ socket }) => void socket.resetAndDestroy() },
	{
		name: "no protocol but noise",
		...broken,
		meet: (socket) => void socket.end("\u0016\u0003\u0001\u0002garbage\r\n\r\n"),
	},
	{
		name: "noise instead of TLS",
		...broken,
		scheme: "https",
		meet: (socket) => void socket.end("HTTP/1.0 400 No\r\n\r\n"),
	},
	{ name: "silence after accepting", ...late, meet: () => {} },
	{ name: "silence after the question", ...late, answer: () => {} },
	{
		name: "head byte by byte",
		...late,
		answer: ({ socket }) => drip(socket, ["HTTP/1.1 200 OK\r\nx-slow: ", ...Array<string>(10_000).fill("a")], 20),
	},
	{
		name: "body byte by byte",
		...late,
		answer({ socket }) {
			socket.write(headOf(200, { "content-type": "application/json", "content-length": "100000" }));
			drip(socket, endlessly(" "), 20);
		},
	},
	{
		name: "early hints without end",
		...late,
		answer: ({ socket }) => drip(socket, endlessly("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"), 5),
	},
	{
		name: "closed in the middle of the body",
		...broken,
		answer({ socket, good: { status, headers, body } }) {
			const length = String(Buffer.byteLength(body) + 100);
			socket.end(headOf(status === 204 ? 200 : status, { ...headers, "content-length": length }) + body);
		},
	},
	{
		name: "reset in the middle of a chunk",
		...broken,
		answer({ socket }) {
			const head = headOf(200, { "content-type": "application/json", "transfer-encoding": "chunked" });
			socket.write(`${head}ff\r\n{"`, () => socket.resetAndDestroy());
		},
	},
	{
		name: "head of 100 MB",
		...broken,
		answer({ socket }) {
			socket.write("HTTP/1.1 200 OK\r\n");
			pour(socket, Buffer.from(`x-large: ${"x".repeat(65_000)}\r\n`), 100 * 1_048_576);
		},
	},
	{
		name: "a change of the protocol",
		...broken,
		answer: ({ socket }) => void socket.write(headOf(101, { upgrade: "websocket", connection: "upgrade" })),
	},
	{
		name: "two lengths",
		...broken,
		answer: ({ socket }) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 40\r\n\r\n{}"),
	},
];
