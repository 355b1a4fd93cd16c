/** A platform whose sessions run in containers of a real engine, with a model that bills. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../clients/api-client.ts";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { DockerEngine } from "../installations/docker-engine.ts";
import type { Script } from "../model-server/answer.ts";
import { ModelServer } from "../model-server/model-server.ts";
import { sessionReaches } from "../platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../platform/start-platform.ts";
import { buildCompanyImage, buildSessionImage, sessionImage } from "./session-image.ts";

export const containersAdapter = "services/pod-manager/pod-runtimes/containers.ts#ContainersRuntime";
/** The dollars of one call of the model. */
export const callPrice = 0.0101;
const usage = { input: 1_000, output: 10, cache_read: 0, cache_write: 0 };
const prices = { input: 10, output: 10, cache_read: 1, cache_write: 1 };

interface Options {
	/** Arguments of the runtime. It keeps no container warm unless they say so. */
	readonly kwargs?: Record<string, unknown>;
	/** The pause before each part of an answer of the model, in milliseconds; default: none. */
	readonly everyMs?: number;
	/** The answers of the model; default: a word. */
	readonly script?: Script;
	/** Options of the engine. */
	readonly engine?: readonly string[];
	/** Builds the image of sessions on the usual one; default: that one. */
	readonly image?: (engine: DockerEngine) => string;
	/** The certificate of an authority that the platform and the sessions trust; default: none beside the usual ones. */
	readonly authority?: string;
	/** Further configuration of the platform. */
	readonly config?: Record<string, unknown>;
}

interface Opened {
	/** The port with the metrics of a platform that keeps containers warm. */
	readonly ops: number | undefined;
}

export class ContainedPlatform implements AsyncDisposable {
	readonly #all: AsyncDisposableStack;
	readonly engine: DockerEngine;
	readonly model: ModelServer;
	readonly platform: TestPlatform;
	readonly api: ApiClient;

	readonly #ops: number | undefined;

	private constructor(
		all: AsyncDisposableStack,
		{ engine, model, platform, ops }: Pick<ContainedPlatform, "engine" | "model" | "platform"> & Opened,
	) {
		this.#all = all;
		this.#ops = ops;
		this.engine = engine;
		this.model = model;
		this.platform = platform;
		this.api = platform.client();
	}

	static async start({
		kwargs = {},
		everyMs = 0,
		script,
		authority,
		image: imageOf = (of) => imageFor(of, authority),
		engine: engineOptions = [],
		config: more = {},
	}: Options = {}): Promise<ContainedPlatform> {
		await using opening = new AsyncDisposableStack();
		const folder = mkdtempSync(join(tmpdir(), "atelier-contained-"));
		opening.defer(() => rmSync(folder, { recursive: true, force: true }));
		const engine = opening.use(await DockerEngine.start([], engineOptions));
		buildSessionImage(engine);
		const image = imageOf(engine);
		const model = opening.use(await ModelServer.listen({ script: script ?? usualScript(everyMs) }));
		const file = join(folder, "models.yaml");
		const named = { provider: "scripted", context_window: 100_000, prices };
		const models = ["first", "second"].map((id) => ({ id, name: id, ...named }));
		const providers = [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints }];
		writeFileSync(file, stringify({ price_version: "test", providers, models }));
		const all = { socket: engine.socket, image, warm: 0, ...kwargs };
		const runtime = { adapter: containersAdapter, kwargs: all };
		const ops = await metricsPort(all.warm);
		const config = { ...ops.config, ...more, models: { file }, pods: { runtime } };
		const env = { SCRIPTED_KEY: model.key, ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }) };
		const platform = opening.use(await startPlatform({ config, env }));
		return new ContainedPlatform(opening.move(), {
			engine,
			model,
			platform,
			ops: ops.port,
		});
	}

	async create(more: object = {}): Promise<string> {
		const wanted = { name: "contained", agent: "builtin", model: "first", source: { type: "git", repo: "" }, ...more };
		const { body, text } = await this.api.post<Session>("/sessions", wanted);
		expect(body.id, text).to.be.a("string");
		return body.id;
	}

	/** Resolves to the id of a session that runs; in a container that has waited for it, where the platform keeps some. */
	async running(more: object = {}): Promise<string> {
		if (this.#ops !== undefined) await this.warmed();
		const id = await this.create(more);
		await sessionReaches(this.api, id, "running", 60_000);
		return id;
	}

	/** Resolves when a container waits for a session. */
	async warmed(): Promise<void> {
		const waits = async () => {
			const answer = await fetch(`http://127.0.0.1:${this.#ops}/metrics`).catch(() => undefined);
			return /^atelier_warm_containers [1-9]/m.test((await answer?.text()) ?? "");
		};
		await eventually(waits, { withinMs: 60_000, everyMs: 200, what: "a container waits" });
	}

	/** Returns the names of all containers that wait, in every state. */
	get waiting(): string[] {
		return this.#namesBy("name=atelier-warm-");
	}

	/** Whether the container of a session has waited for it. */
	hasWaited(id: string): boolean {
		return this.#namesBy(`name=session-${id}-g`, "label=atelier.warm").length > 0;
	}

	async session(id: string): Promise<Session> {
		return (await this.api.get<Session>(`/sessions/${id}`)).body;
	}

	/** Resolves when these dollars are in the books of a session, and nothing is reserved. */
	async spends(id: string, dollars: number): Promise<void> {
		const isBooked = async () => {
			const { budget } = await this.session(id);
			return budget.reserved === 0 && Math.abs(budget.spent - dollars) < 1e-6;
		};
		await eventually(isBooked, { withinMs: 20_000, what: `${dollars} are booked` });
	}

	/** Returns the names of the containers of a session, or of all sessions. */
	containers(id?: string): string[] {
		return this.#namesBy(`name=session-${id ?? ""}`);
	}

	#namesBy(...filters: readonly string[]): string[] {
		const words = filters.flatMap((filter) => ["--filter", filter]);
		return this.engine
			.run("docker", "ps", "-a", "--format", "{{.Names}}", ...words)
			.split("\n")
			.filter(Boolean);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#all.disposeAsync();
	}
}

/** A platform that keeps no container warm needs none, and two of them may have one configuration. */
async function metricsPort(warm: unknown): Promise<{ port?: number; config?: object }> {
	if (warm === 0) return {};
	const port = await freePort();
	return { port, config: { ops: { port } } };
}

function usualScript(everyMs: number): Script {
	const answer = { text: "A word.", usage, ...(everyMs > 0 && { fault: { kind: "slow" as const, everyMs } }) };
	return () => answer;
}

function imageFor(engine: DockerEngine, authority: string | undefined): string {
	return authority === undefined ? sessionImage : buildCompanyImage(engine, authority);
}
