/**
 * Coding agents whose sessions run in containers of a real engine, in an image that has all of them, with an MCP server in it and
 * another one on a machine of a company's network.
 */
import { join } from "node:path";
import { AgentPlatform, type AgentPlace } from "../agents/agent-platform.ts";
import { agentCache } from "../agents/install-agents.ts";
import { DockerEngine } from "../installations/docker-engine.ts";
import type { Script } from "../model-server/answer.ts";
import { CompanyNetwork } from "./company-network.ts";
import { containersAdapter } from "./contained-platform.ts";
import { buildAgentsImage, buildCompanyImage, buildOn, buildSessionImage, sessionImage } from "./session-image.ts";

const workspace = "/session/workspace";
const support = join(import.meta.dirname, "..");
/** The MCP server and the modules that it loads, below the folder of the support of tests. */
const mcpServer = ["agents/mcp-server.ts", "machine/loopback-server.ts"];

export class ContainedAgents implements AsyncDisposable {
	readonly #all: AsyncDisposableStack;
	readonly #engine: DockerEngine;
	readonly #company: CompanyNetwork;
	readonly #image: string;

	private constructor(all: AsyncDisposableStack, engine: DockerEngine, company: CompanyNetwork, image: string) {
		this.#all = all;
		this.#engine = engine;
		this.#company = company;
		this.#image = image;
	}

	/** @param installed The agents that are not in the usual image. */
	static async start(installed: readonly string[]): Promise<ContainedAgents> {
		await using opening = new AsyncDisposableStack();
		const engine = opening.use(await DockerEngine.start([]));
		const company = opening.use(await CompanyNetwork.start());
		const image = buildImage(engine, installed, company.authority.cert);
		return new ContainedAgents(opening.move(), engine, company, image);
	}

	/** Opens a platform with agents, which ends with this. @param more Further arguments of the runtime. */
	async open(agents: readonly string[], script: Script, more: object = {}): Promise<AgentPlatform> {
		const kwargs = {
			socket: this.#engine.socket,
			image: this.#image,
			images: [sessionImage],
			internal_hosts: this.#company.addresses,
			...more,
		};
		const place: AgentPlace = {
			config: { pods: { runtime: { adapter: containersAdapter, kwargs } } },
			workspace,
			mcpServer: ["node", `/opt/support/${mcpServer[0]}`],
			mcpUrl: async (loopback) => {
				const { origin, pathname } = new URL(loopback);
				return (await this.#company.publish(origin)) + pathname;
			},
			memoryOf: (session) => this.#memoryOf(session),
		};
		return this.#all.use(await AgentPlatform.open(agents, script, place));
	}

	/** Returns the memory of the container of a session, without files of the disk that the kernel keeps, in MB. */
	#memoryOf(session: string): number {
		const filter = ["--filter", `name=session-${session}-g`, "--format", "{{.Names}}"];
		const name = this.#engine.run("docker", "ps", ...filter).trim();
		const used = this.#engine.run("docker", "stats", "--no-stream", "--format", "{{.MemUsage}}", name);
		const [, amount = "", unit = ""] = /^([\d.]+)(MiB|GiB) /.exec(used) ?? [];
		return Math.round(Number(amount) * (unit === "GiB" ? 1_024 : 1));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#all.disposeAsync();
	}
}

function buildImage(engine: DockerEngine, installed: readonly string[], authority: string): string {
	buildSessionImage(engine);
	const company = buildCompanyImage(engine, authority, buildAgentsImage(engine, agentCache, installed));
	const files = Object.fromEntries(mcpServer.map((path) => [`/opt/support/${path}`, join(support, path)]));
	return buildOn(engine, company, { tag: "company/agents", files });
}
