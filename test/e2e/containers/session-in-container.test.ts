/**
 * A session in a container of a real engine: it works with its model, whose key never enters the container.
 * Long: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { buildSessionImage, sessionImage } from "../../support/containers/session-image.ts";
import { DockerEngine } from "../../support/installations/docker-engine.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const usage = { input: 1_000, output: 10, cache_read: 0, cache_write: 0 };
const price = 0.0101;
const adapter = "services/pod-manager/pod-runtimes/containers.ts#ContainersRuntime";

describe("a session in a container", function () {
	this.timeout(180_000);
	const all = new AsyncDisposableStack();
	let engine: DockerEngine;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-contained-"));
		all.defer(() => rmSync(folder, { recursive: true, force: true }));
		engine = all.use(await DockerEngine.start([]));
		buildSessionImage(engine);
		model = all.use(await ModelServer.listen({ script: () => ({ text: "A word.", usage }) }));
		const file = join(folder, "models.yaml");
		const prices = { input: 10, output: 10, cache_read: 1, cache_write: 1 };
		const models = ["first", "second"].map((id) => ({
			id,
			name: id,
			provider: "scripted",
			context_window: 100_000,
			prices,
		}));
		const providers = [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints }];
		writeFileSync(file, stringify({ price_version: "test", providers, models }));
		const runtime = {
			adapter,
			kwargs: {
				socket: engine.socket,
				image: sessionImage,
				internal_hosts: ["git.internal.test"],
				images: ["debian:12", "bare", "absent"],
			},
		};
		platform = all.use(
			await startPlatform({ config: { models: { file }, pods: { runtime } }, env: { SCRIPTED_KEY: model.key } }),
		);
		api = platform.client();
	});
	after(() => all.disposeAsync());

	async function running(more: object = {}): Promise<string> {
		const wanted = { name: "contained", agent: "builtin", model: "first", source: { type: "git", repo: "" }, ...more };
		const { body, text } = await api.post<Session>("/sessions", wanted);
		expect(body.id, text).to.be.a("string");
		await sessionReaches(api, body.id, "running", 60_000);
		return body.id;
	}

	const session = async (id: string) => (await api.get<Session>(`/sessions/${id}`)).body;

	function spends(id: string, dollars: number): Promise<boolean> {
		const isBooked = async () => {
			const { budget } = await session(id);
			return budget.reserved === 0 && Math.abs(budget.spent - dollars) < 1e-6;
		};
		return eventually(isBooked, { withinMs: 20_000, what: `${dollars} are booked` });
	}

	it("answers with its model, whose key is nowhere in the container, and its usage is in the books", async () => {
		const id = await running();
		expect(await ask(api, id, "hello")).to.include("A word.");
		await spends(id, price);
		const { message_count } = await eventually(async () => {
			const now = await session(id);
			return now.message_count > 0 && now;
		});
		expect(message_count).to.equal(1);
		const name = `atelier-session-${id}-g1`;
		const inspected = engine.run("docker", "inspect", engine.run("docker", "ps", "-q").split("\n")[0] ?? name);
		expect(inspected).to.not.include(model.key);
		const pid = /"Pid": (\d+)/.exec(inspected)?.[1] ?? "";
		const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
		expect(environment).to.include("HOME=");
		expect(environment).to.not.include(model.key);
	});

	it("waits while its budget is used up, and goes on when it is raised", async () => {
		const limit = 0.1;
		const id = await running({ budget: { limit } });
		const { budget } = await eventually(
			async () => {
				await api.post(`/sessions/${id}/messages`, { content: "again" });
				const now = await session(id);
				return now.budget.paused && now;
			},
			{ withinMs: 30_000, everyMs: 300, what: "the budget is used up" },
		);
		expect(budget.spent).to.be.at.most(limit + price);
		await api.put(`/sessions/${id}`, { budget: { limit: 10 } });
		await eventually(async () => !(await session(id)).budget.paused, { withinMs: 20_000, what: "it goes on" });
		expect(await ask(api, id, "hello")).to.include("A word.");
	});

	it("reaches no private address, port of the host or metadata, and its owner is told what was refused", async () => {
		const id = await running({ model: "" });
		const remote = (url: string) => ask(api, id, `$ git ls-remote ${url} 2>&1`);
		expect(await remote("http://169.254.169.254/a.git")).to.include("403");
		expect(await remote("https://10.0.0.1/a.git")).to.include("403");
		const { port } = new URL(platform.prefix);
		expect(await remote(`http://127.0.0.1:${port}/a.git`)).to.match(/connect/i);
		// The operator names this one, so only its name is unknown.
		expect(await remote("http://git.internal.test/a.git")).to.include("502");
		expect(await ask(api, id, "$ ls /sys/class/net")).to.equal("lo\n");
		const { warnings } = await eventually(async () => {
			const now = await session(id);
			return now.warnings.some((sentence) => sentence.includes("10.0.0.1")) && now;
		});
		const because = "was refused: its address is not a public one";
		expect(warnings).to.deep.equal([
			`launch: The connection to 169.254.169.254:80 ${because}`,
			`launch: The connection to 10.0.0.1:443 ${because}`,
		]);
	});

	/** Creates a session in another image; resolves when it runs or has failed. */
	async function inImage(image: string): Promise<Session> {
		const preset = { name: `in ${image}`, workload_config: { image } };
		const { body: made, text } = await api.post<{ id: string }>("/presets", preset);
		expect(made.id, text).to.be.a("string");
		const wanted = { name: "other", agent: "builtin", preset_id: made.id, source: { type: "git", repo: "" } };
		const { body } = await api.post<Session>("/sessions", wanted);
		return eventually(
			async () => {
				const now = await session(body.id);
				return ["running", "failed"].includes(now.status) && now;
			},
			{ withinMs: 60_000, what: `the session in ${image} runs or has failed` },
		);
	}

	it("runs in an image of somebody else without Node.js, which gets the agent", async () => {
		const { id, status, error } = await inImage("debian:12");
		expect(status, error ?? "").to.equal("running");
		expect(await ask(api, id, "$ cat /etc/os-release; ls /usr/local/bin/node 2>&1")).to.match(/Debian[^]*No such file/);
	});

	it("says what an image lacks, or that the operator does not offer it", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-bare-"));
		writeFileSync(join(folder, "Dockerfile"), "FROM debian:12\nRUN rm -f /usr/bin/git\n");
		engine.run("docker", "build", "-q", "-t", "bare", folder);
		rmSync(folder, { recursive: true });
		expect((await inImage("bare")).error).to.include("The image has no git, which sessions need");
		expect((await inImage("elsewhere")).error).to.include('does not offer the image "elsewhere"');
		const preset = { name: "absent", workload_config: { image: "absent" } };
		const { body: made } = await api.post<{ id: string }>("/presets", preset);
		const wanted = { name: "absent", agent: "builtin", preset_id: made.id, source: { type: "git", repo: "" } };
		const { body } = await api.post<Session>("/sessions", wanted);
		await eventually(async () => (await session(body.id)).status_reason?.code === "IMAGE_PULL_FAILED", {
			withinMs: 20_000,
			what: "the reason of the wait is told",
		});
	});

	it("works behind the filter, without a right on the engine's own socket", async () => {
		await using own = new AsyncDisposableStack();
		const dataDir = mkdtempSync(join(tmpdir(), "atelier-filtered-"));
		own.defer(() => rmSync(dataDir, { recursive: true, force: true }));
		const folders = ["sessions", "run"].map((name) => join(dataDir, name));
		for (const path of folders) mkdirSync(path, { mode: 0o700 });
		const listen = join(dataDir, "filter.sock");
		const installation = openInstallationKey(dataDir, "").installationId();
		const words = ["--engine", engine.socket, "--listen", listen, "--installation", installation];
		for (const path of folders) words.push("--folder", path);
		words.push("--image", sessionImage, "--user", "231001");
		const filter = spawn(process.execPath, ["cli/engine-filter.ts", ...words], { cwd: projectRoot, stdio: "pipe" });
		own.defer(async () => {
			const ended = once(filter, "exit");
			filter.kill("SIGTERM");
			await ended;
		});
		let refused = "";
		filter.stderr.on("data", (chunk) => (refused += String(chunk)));
		await eventually(() => existsSync(listen), { withinMs: 20_000, what: "the filter listens" });
		const runtime = { adapter, kwargs: { socket: listen } };
		const filtered = own.use(await startPlatform({ dataDir, config: { pods: { runtime } } }));
		const wanted = { name: "filtered", agent: "builtin", source: { type: "git", repo: "" } };
		const client = filtered.client();
		const { body } = await client.post<Session>("/sessions", wanted);
		await sessionReaches(client, body.id, "running", 60_000);
		expect(await ask(client, body.id, "$ id -u")).to.equal("231001\n");
		await client.delete(`/sessions/${body.id}`);
		await eventually(() => engine.run("docker", "ps", "-aq", "--filter", `label=atelier.session=${body.id}`) === "", {
			withinMs: 40_000,
			what: "the container is gone",
		});
		// The start asks this to learn whether there is a filter.
		expect(refused).to.equal("The filter does not let GET /v1.41/version through\n");
	});

	it("calls another model as soon as it is chosen", async () => {
		const id = await running();
		const { body } = await api.put<Session & { applies: { model: string } }>(`/sessions/${id}`, { model: "second" });
		expect(body.applies.model).to.equal("now");
		const before = model.billed.calls.length;
		await ask(api, id, "hello");
		expect(new Set(model.billed.calls.slice(before).map((call) => call.model))).to.deep.equal(new Set(["second"]));
	});
});
