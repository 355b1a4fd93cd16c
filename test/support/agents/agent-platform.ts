/**
 * A platform with real coding agents and a scripted model for each agent, so that the usage of one agent can be told
 * apart from that of the others.
 */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { agentCache } from "./install-agents.ts";
import { McpHttpServer } from "./mcp-server.ts";
import type { Script } from "../model-server/answer.ts";
import { ModelServer } from "../model-server/model-server.ts";
import { compiled } from "../compiled.ts";
import { sameDay } from "../machine/same-day.ts";
import type { SseClient } from "../clients/sse-client.ts";
import { startPlatform, type TestPlatform } from "../platform/start-platform.ts";

/** The kinds of scripted models. `unreachable`: nothing listens at the address; `refused`: the key is wrong. */
export type ModelKind = "scripted" | "unreachable" | "refused";

/**
 * The prices in US dollars per million tokens. A token costs whole micro-dollars, so that no sum depends on rounding.
 */
export const prices = { input: 3, output: 15, cache_read: 1, cache_write: 4 };

/** Where the sessions of the agents run. */
export interface AgentPlace {
	/** Configuration of the platform. */
	readonly config: Record<string, unknown>;
	/** The folder of the workspace of every session, as its agent sees it. */
	readonly workspace: string;
	/** The program and the arguments of the MCP server over stdio. */
	readonly mcpServer: readonly [string, ...string[]];
	/** The origin of the MCP server over HTTP, as agents reach it. */
	readonly mcpUrl: (loopback: string) => Promise<string>;
	/** Returns the memory of a session at this moment, in MB. */
	readonly memoryOf: (session: string) => number;
}

/** An address at which only root could listen. */
const deadEnd = "http://127.0.0.1:1";

type TestbedParts = Pick<AgentPlatform, "platform" | "models" | "mcp" | "stream" | "place">;

export class AgentPlatform implements AsyncDisposable {
	readonly platform: TestPlatform;
	/** The scripted models by agent. */
	readonly models: ReadonlyMap<string, ModelServer>;
	readonly mcp: McpHttpServer;
	/** The events of the platform since its start. */
	readonly stream: SseClient;
	/** It is undefined when the sessions are processes of this machine. */
	readonly place: AgentPlace | undefined;
	readonly #all: AsyncDisposableStack;

	private constructor({ platform, models, mcp, stream, place }: TestbedParts, all: AsyncDisposableStack) {
		this.platform = platform;
		this.models = models;
		this.mcp = mcp;
		this.stream = stream;
		this.place = place;
		this.#all = all;
	}

	/** Starts the platform. @param script The script of every model. @param place Default: this machine. */
	static async open(agents: readonly string[], script: Script, place?: AgentPlace): Promise<AgentPlatform> {
		await using all = new AsyncDisposableStack();
		const folder = mkdtempSync(join(tmpdir(), "atelier-agents-"));
		// Processes that end with the platform may write a last file.
		all.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
		const dataDir = join(folder, "data");
		mkdirSync(dataDir);
		if (!place) useCaches(dataDir);
		const mcp = all.use(await McpHttpServer.listen());
		const models = new Map<string, ModelServer>();
		for (const id of agents) models.set(id, all.use(await ModelServer.listen({ script, model: modelOf(id) })));
		writeFileSync(join(folder, "models.yaml"), stringify(catalogue(models)));
		mkdirSync(join(folder, "templates"));
		for (const template of await templates(mcp.url, place))
			writeFileSync(join(folder, "templates", `${template.name}.yaml`), stringify(template));
		const keys = Object.fromEntries([...models].map(([id, { key }]) => [keyName(id), key]));
		const config = {
			...place?.config,
			models: { file: join(folder, "models.yaml") },
			templates: { kwargs: { folder: join(folder, "templates") } },
		};
		const platform = all.use(
			await startPlatform({ config, env: { ...keys, [wrongKey]: "sk-wrong", ...sameDay() }, dataDir }),
		);
		const stream = all.use(await platform.events());
		return new AgentPlatform({ platform, models, mcp, stream, place }, all.move());
	}

	/** Returns the folder of the workspace of a session, as its agent sees it. */
	workspaceOf(session: string): string {
		return this.place?.workspace ?? this.platform.workspace(session);
	}

	/** Ends the platform first and removes the folder last. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#all.disposeAsync();
	}
}

/** Gives a data folder the agents and the compiled modules that other tests use, too. */
function useCaches(dataDir: string): void {
	symlinkSync(join(agentCache, "agents"), join(dataDir, "agents"));
	mkdirSync(compiled, { recursive: true });
	symlinkSync(compiled, join(dataDir, "cache"));
}

const wrongKey = "WRONG_KEY";

export function modelOf(agent: string, kind: ModelKind = "scripted"): string {
	// Codex offers other tools for models that it knows, as its users have them.
	return kind === "scripted" && agent === "codex" ? "gpt-5.5" : `${kind}-${agent}`;
}

function keyName(agent: string): string {
	return `SCRIPTED_${agent.toUpperCase()}_KEY`;
}

/** Makes the catalogue, in which each agent has its own provider for each kind of model. */
function catalogue(models: ReadonlyMap<string, ModelServer>): object {
	const nowhere = Object.fromEntries(modelWires.map((wire) => [wire, deadEnd]));
	const listed = [...models].flatMap(([agent, { endpoints }]) => [
		{ agent, kind: "scripted" as const, provider: { key_env: keyName(agent), endpoints } },
		{ agent, kind: "refused" as const, provider: { key_env: wrongKey, endpoints } },
		{ agent, kind: "unreachable" as const, provider: { endpoints: nowhere } },
	]);
	return {
		price_version: "test",
		providers: listed.map(({ agent, kind, provider }) => ({ id: `${kind}-${agent}`, ...provider })),
		models: listed.map(({ agent, kind }) => ({
			id: modelOf(agent, kind),
			name: `${kind} ${agent}`,
			provider: `${kind}-${agent}`,
			prices,
		})),
	};
}

type Template = Readonly<Record<string, unknown>> & { readonly name: string };

/** Makes a template with servers of both kinds and the same tools, and in containers one of sessions that may reach no server. */
async function templates(url: string, place: AgentPlace | undefined): Promise<readonly Template[]> {
	const [command, ...args] = place?.mcpServer ?? [process.execPath, join(import.meta.dirname, "mcp-server.ts")];
	const nearby = { name: "nearby", type: "stdio", command, args, env: { NEARBY: "yes" } };
	const headers = { "x-key": "mcp-key" };
	const remote = { name: "remote", type: "http", url: (await place?.mcpUrl(url)) ?? url, headers };
	const tools = { name: "tools", mcp_servers: [nearby, remote] };
	return place ? [tools, { name: "alone", workload_config: { egress: "none" } }] : [tools];
}
