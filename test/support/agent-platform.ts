/**
 * A platform with real coding agents and, for each, a scripted model of its own, so that what one agent uses is told
 * apart from what the others use.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { agentCache } from "./install-agents.ts";
import { McpHttpServer } from "./mcp-server.ts";
import type { Script } from "./model-server/answer.ts";
import { ModelServer } from "./model-server/model-server.ts";
import { startPlatform, type TestPlatform } from "./start-platform.ts";

export class AgentPlatform implements AsyncDisposable {
	readonly platform: TestPlatform;
	/** By agent. */
	readonly models: ReadonlyMap<string, ModelServer>;
	readonly mcp: McpHttpServer;
	readonly #all: AsyncDisposableStack;

	private constructor(
		platform: TestPlatform,
		models: Map<string, ModelServer>,
		mcp: McpHttpServer,
		all: AsyncDisposableStack,
	) {
		this.platform = platform;
		this.models = models;
		this.mcp = mcp;
		this.#all = all;
	}

	/** @param script Of every model. */
	static async open(agents: readonly string[], script: Script): Promise<AgentPlatform> {
		await using all = new AsyncDisposableStack();
		const folder = mkdtempSync(join(tmpdir(), "atelier-agents-"));
		all.defer(() => rmSync(folder, { recursive: true, force: true }));
		const dataDir = join(folder, "data");
		mkdirSync(dataDir);
		symlinkSync(join(agentCache, "agents"), join(dataDir, "agents"));
		const mcp = all.use(await McpHttpServer.listen());
		const models = new Map<string, ModelServer>();
		for (const id of agents) models.set(id, all.use(await ModelServer.listen({ script, model: modelOf(id) })));
		writeFileSync(join(folder, "models.yaml"), stringify(catalogue(models)));
		mkdirSync(join(folder, "templates"));
		writeFileSync(join(folder, "templates", "tools.yaml"), stringify(toolsTemplate(mcp.url)));
		const env = Object.fromEntries([...models].map(([id, { key }]) => [keyName(id), key]));
		const config = {
			models: { file: join(folder, "models.yaml") },
			templates: { kwargs: { folder: join(folder, "templates") } },
		};
		const platform = all.use(await startPlatform({ config, env, dataDir }));
		return new AgentPlatform(platform, models, mcp, all.move());
	}

	/** The platform first, the folder last. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#all.disposeAsync();
	}
}

export function modelOf(agent: string): string {
	// Codex offers other tools where it knows the model, as it does with those of its users.
	return agent === "codex" ? "gpt-5.5" : `scripted-${agent}`;
}

function keyName(agent: string): string {
	return `SCRIPTED_${agent.toUpperCase()}_KEY`;
}

function catalogue(models: ReadonlyMap<string, ModelServer>): object {
	return {
		price_version: "test",
		providers: [...models].map(([id, { endpoints }]) => ({ id, key_env: keyName(id), endpoints })),
		models: [...models].map(([id, { model }]) => ({ id: model, name: id, provider: id })),
	};
}

/** Servers of both kinds with the same tools. */
function toolsTemplate(url: string): object {
	return {
		name: "tools",
		mcp_servers: [
			{
				name: "nearby",
				type: "stdio",
				command: process.execPath,
				args: [join(import.meta.dirname, "mcp-server.ts")],
				env: { NEARBY: "yes" },
			},
			{ name: "remote", type: "http", url, headers: { "x-key": "mcp-key" } },
		],
	};
}
