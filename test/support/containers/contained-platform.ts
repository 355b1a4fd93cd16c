/** A platform whose sessions run in containers of a real engine, with a model that bills. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../clients/api-client.ts";
import { eventually } from "../eventually.ts";
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
	/** Arguments of the runtime. */
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

export class ContainedPlatform implements AsyncDisposable {
	readonly #all: AsyncDisposableStack;
	readonly engine: DockerEngine;
	readonly model: ModelServer;
	readonly platform: TestPlatform;
	readonly api: ApiClient;

	private constructor(all: AsyncDisposableStack, engine: DockerEngine, model: ModelServer, platform: TestPlatform) {
		this.#all = all;
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
		const answer = { text: "A word.", usage, ...(everyMs > 0 && { fault: { kind: "slow" as const, everyMs } }) };
		const model = opening.use(await ModelServer.listen({ script: script ?? (() => answer) }));
		const file = join(folder, "models.yaml");
		const named = { provider: "scripted", context_window: 100_000, prices };
		const models = ["first", "second"].map((id) => ({ id, name: id, ...named }));
		const providers = [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints }];
		writeFileSync(file, stringify({ price_version: "test", providers, models }));
		const runtime = { adapter: containersAdapter, kwargs: { socket: engine.socket, image, ...kwargs } };
		const config = { ...more, models: { file }, pods: { runtime } };
		const env = { SCRIPTED_KEY: model.key, ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }) };
		const platform = opening.use(await startPlatform({ config, env }));
		return new ContainedPlatform(opening.move(), engine, model, platform);
	}

	async create(more: object = {}): Promise<string> {
		const wanted = { name: "contained", agent: "builtin", model: "first", source: { type: "git", repo: "" }, ...more };
		const { body, text } = await this.api.post<Session>("/sessions", wanted);
		expect(body.id, text).to.be.a("string");
		return body.id;
	}

	async running(more: object = {}): Promise<string> {
		const id = await this.create(more);
		await sessionReaches(this.api, id, "running", 60_000);
		return id;
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
		const filter = `name=session-${id ?? ""}`;
		return this.engine
			.run("docker", "ps", "-a", "--format", "{{.Names}}", "--filter", filter)
			.split("\n")
			.filter(Boolean);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#all.disposeAsync();
	}
}

function imageFor(engine: DockerEngine, authority: string | undefined): string {
	return authority === undefined ? sessionImage : buildCompanyImage(engine, authority);
}
