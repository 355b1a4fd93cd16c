/**
 * A small server of the Model Context Protocol (version 2025-06-18, tools only). As a program it uses stdio; `listen`
 * offers streamable HTTP. Its tools: `add` adds two numbers, `greet` greets a name, `fail` fails with a text, `wait`
 * never ends, and `whoami` describes its environment; over stdio, `leave` ends the program.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../machine/loopback-server.ts";

type Json = Record<string, unknown>;

interface McpTool {
	description: string;
	properties: Json;
	run(input: Json): Promise<Json> | Json;
}

const text = (words: string, isError = false): Json => ({ content: [{ type: "text", text: words }], isError });

const tools: Record<string, McpTool> = {
	add: {
		description: "Adds two numbers",
		properties: { a: { type: "number" }, b: { type: "number" } },
		run: ({ a, b }) => text(String(Number(a) + Number(b))),
	},
	greet: {
		description: "Greets somebody",
		properties: { name: { type: "string" } },
		run: ({ name }) => text(`Good day, ${String(name)}`),
	},
	fail: { description: "Fails", properties: {}, run: () => text("no such thing", true) },
	wait: { description: "Never ends", properties: {}, run: () => new Promise<Json>(() => {}) },
	whoami: { description: "Tells its environment", properties: {}, run: () => text(JSON.stringify(process.env)) },
	leave: { description: "Ends the server", properties: {}, run: () => process.exit(3) },
};

/** Returns the answer to a message; undefined for one without an answer. */
async function answer({ id, method, params }: Json): Promise<Json | undefined> {
	if (id === undefined) return undefined;
	const head = { jsonrpc: "2.0", id };
	switch (method) {
		case "initialize": {
			const serverInfo = { name: "test", version: "1" };
			return { ...head, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } };
		}
		case "tools/list": {
			const list = Object.entries(tools).map(([name, { description, properties }]) => ({
				name,
				description,
				inputSchema: { type: "object", properties },
			}));
			return { ...head, result: { tools: list } };
		}
		case "tools/call": {
			const { name, arguments: input } = params as { name: string; arguments?: Json };
			const tool = tools[name];
			if (!tool) return { ...head, error: { code: -32_602, message: `There is no tool "${name}"` } };
			return { ...head, result: await tool.run(input ?? {}) };
		}
		default:
			return { ...head, error: { code: -32_601, message: `There is no method "${String(method)}"` } };
	}
}

export class McpHttpServer implements AsyncDisposable {
	/** The values of the `x-key` header of all requests. */
	readonly keys: unknown[] = [];
	readonly #server: Server;

	private constructor() {
		this.#server = createServer((request, response) => void this.#answer(request, response));
	}

	static async listen(): Promise<McpHttpServer> {
		const server = new McpHttpServer();
		await listenOnLoopback(server.#server);
		return server;
	}

	get url(): string {
		return `${loopbackUrl(this.#server)}/mcp`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.keys.push(request.headers["x-key"]);
		// The server sends nothing of its own accord.
		if (request.method !== "POST") return void response.writeHead(405).end();
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const answered = await answer(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Json);
		if (!answered) return void response.writeHead(202).end();
		response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answered));
	}
}

if (import.meta.main) {
	for await (const line of createInterface({ input: process.stdin })) {
		void answer(JSON.parse(line) as Json).then((answered) => {
			if (answered) process.stdout.write(`${JSON.stringify(answered)}\n`);
		});
	}
}
