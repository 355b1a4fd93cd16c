/**
 * The Model Context Protocol servers of a session: they start beside its first turn, and their tools are offered to the model.
 * A server that is slow delays one turn by 3 s at most, and is used from the turn after it is ready.
 */
import type { MCPClient } from "@ai-sdk/mcp";
import { after } from "#shared/base/clock.ts";
import type { Environment } from "../../io/environment.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";
import { mcpText, mcpToolName } from "./mcp-tool-text.ts";
import type { Tool, ToolOutcome } from "./tool.ts";

type ListedTool = Awaited<ReturnType<MCPClient["listTools"]>>["tools"][number];

/** How a server is reached, in the form of `session/new`. */
interface McpPlace {
	folder: string;
	/** The environment of a server that is a program; the server's own variables are added to it. */
	env: Environment;
}

/** The longest wait of a turn for servers. */
const waitMs = 3_000;
/** The time for a start, which may include the download of the server. */
const connectMs = 60_000;
const callMs = 10 * 60_000;
/** The number of attempts to reach a lost server, one in each turn. */
const maxStarts = 3;
const maxTools = 200;

/** Connects to the servers of a session, and closes the connections. */
export class McpServers {
	readonly #servers: McpServer[];

	/** @param onTrouble Receives a sentence about each server that cannot be used. */
	constructor(specs: readonly JsonObject[], place: McpPlace, onTrouble: (sentence: string) => void) {
		this.#servers = specs.map((spec) => new McpServer(spec, place, onTrouble));
	}

	/** Resolves with the tools of all connected servers, after one wait for the others of at most 3 s. */
	async tools(): Promise<Tool[]> {
		const tools = (await Promise.all(this.#servers.map((server) => server.tools()))).flat();
		const first = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
		return [...first.values()].toReversed().slice(0, maxTools);
	}

	async close(): Promise<void> {
		await Promise.all(this.#servers.map((server) => server.close()));
	}
}

interface Connection {
	client: MCPClient;
	tools: Tool[];
}

class McpServer {
	readonly #name: string;
	readonly #spec: JsonObject;
	readonly #place: McpPlace;
	readonly #onTrouble: (sentence: string) => void;
	#starting: Promise<Connection | undefined> | undefined;
	#starts = 0;
	/** Whether a turn has waited in vain for this start. */
	#isLate = false;
	readonly #closing = new AbortController();

	constructor(spec: JsonObject, place: McpPlace, onTrouble: (sentence: string) => void) {
		this.#name = textOf(spec["name"]) ?? "unnamed";
		this.#spec = spec;
		this.#place = place;
		this.#onTrouble = onTrouble;
	}

	/** Returns none while the server has not started; the turn in which it is late reports that. */
	async tools(): Promise<Tool[]> {
		this.#starting ??= this.#start();
		const late = Promise.withResolvers<"late">();
		const timer = after(this.#isLate ? 0 : waitMs, () => late.resolve("late"));
		const connection = await Promise.race([this.#starting, late.promise]).finally(() => timer.cancel());
		if (connection !== "late") return connection?.tools ?? [];
		if (!this.#isLate)
			this.#complain(`has not started within ${waitMs / 1_000} s; this turn goes on without its tools`);
		this.#isLate = true;
		return [];
	}

	/** A start that is still under way is abandoned. */
	async close(): Promise<void> {
		this.#closing.abort();
		const connection = await this.#starting;
		await connection?.client.close().catch(() => {});
	}

	async #start(): Promise<Connection | undefined> {
		if (this.#starts++ >= maxStarts) return undefined;
		this.#isLate = false;
		try {
			const client = await openClient(this.#spec, this.#place, this.#closing.signal);
			try {
				const tools = (await listTools(client)).map((tool) => this.#offer(client, tool));
				return { client, tools };
			} catch (error) {
				await client.close().catch(() => {});
				throw error;
			}
		} catch (error) {
			this.#complain(`cannot be used: ${reasonOf(error)}`);
			return undefined;
		}
	}

	#complain(trouble: string): void {
		if (!this.#closing.signal.aborted) this.#onTrouble(`The MCP server "${this.#name}" ${trouble}`);
	}

	#offer(client: MCPClient, { name, description = "", inputSchema }: ListedTool): Tool {
		return {
			name: mcpToolName(this.#name, name),
			description,
			inputSchema: { ...inputSchema, properties: inputSchema["properties"] ?? {} },
			prepare: ({ members }) => ({
				shown: { title: `${name} (${this.#name})`, kind: "other" },
				permission: {
					key: `mcp ${JSON.stringify([this.#name, name])}`,
					always: `Always allow "${name}" of "${this.#name}" in this session`,
				},
				run: ({ signal }) => this.#call(client, { name, arguments: members }, signal),
			}),
		};
	}

	async #call(
		client: MCPClient,
		call: { name: string; arguments: Record<string, unknown> },
		signal: AbortSignal,
	): Promise<ToolOutcome> {
		try {
			const result: JsonObject = await client.callTool({ ...call, options: { signal, timeout: callMs } });
			return { text: mcpText(result), isError: result["isError"] === true };
		} catch (error) {
			// A server that answered with an error is alive. After any other failure it may be gone, and the next turn
			// connects again.
			if (!signal.aborted && !hasCode(error)) this.#starting = undefined;
			throw error;
		}
	}
}

function reasonOf(error: unknown): string {
	const said = error instanceof Error ? error.message : String(error);
	// The library's words for a server whose process ended.
	return /closed client|connection closed/i.test(said) ? "it ended before it answered" : said;
}

function hasCode(error: unknown): boolean {
	return error instanceof Error && "code" in error && typeof error.code === "number";
}

async function openClient(spec: JsonObject, place: McpPlace, signal: AbortSignal): Promise<MCPClient> {
	const { createMCPClient } = await import("@ai-sdk/mcp");
	return createMCPClient({
		transport: await transportOf(spec, place),
		clientName: "atelier-builtin",
		maxRetries: 0,
		initializationOptions: { timeout: connectMs, signal },
		// Such an error concerns no call in particular; each call reports its own error.
		onUncaughtError: () => {},
	});
}

async function transportOf(spec: JsonObject, { folder, env }: McpPlace) {
	const { type, url, command, args } = spec;
	if (type === "http" && typeof url === "string") return { type, url, headers: named(spec["headers"]) } as const;
	if (type !== undefined || typeof command !== "string") throw new Error("Only stdio and HTTP servers are known");
	const { Experimental_StdioMCPTransport: StdioTransport } = await import("@ai-sdk/mcp/mcp-stdio");
	const words = Array.isArray(args) ? args.map(String) : [];
	return new StdioTransport({ command, args: words, env: { ...env, ...named(spec["env"]) }, cwd: folder });
}

/** Reads every page of the list, within the bound. */
async function listTools(client: MCPClient): Promise<ListedTool[]> {
	const tools: ListedTool[] = [];
	let cursor: string | undefined;
	do {
		const page = await client.listTools({ ...(cursor && { params: { cursor } }), options: { timeout: connectMs } });
		tools.push(...page.tools);
		cursor = page.nextCursor;
	} while (cursor && tools.length < maxTools);
	return tools.slice(0, maxTools);
}

/** Makes one object of `[{ name, value }]`. */
function named(list: unknown): Record<string, string> {
	return Object.fromEntries(objectsOf(list).map(({ name, value }) => [String(name), String(value)]));
}
