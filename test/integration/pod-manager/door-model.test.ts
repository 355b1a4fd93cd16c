/**
 * The model of a session in a container, at its real socket: the platform's side adds the key, admits and books. Nothing in the
 * container has to do anything for that, and nothing in it can get around it.
 */
import { expect } from "chai";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { once } from "node:events";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { stringify } from "yaml";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { serviceFolders } from "#host/service-folders.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { modelAccess } from "#shared/wire/models/model-access.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { doorWays } from "#shared/wire/pod/door/door-sockets.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import type { Launch } from "#services/pod-manager/pod-runtimes/launches/launch.ts";
import { RunFolders } from "#services/pod-manager/pod-runtimes/machine/run-folders.ts";
import { launchDocument } from "#services/pod-manager/pod-runtimes/containers/launches/launch-document.ts";
import { LaunchDoors } from "#services/pod-manager/pod-runtimes/containers/launch-doors.ts";
import { LaunchEgress, operatorRules } from "#services/pod-manager/pod-runtimes/containers/launch-egress.ts";
import { LaunchModels } from "#services/pod-manager/pod-runtimes/containers/launch-models.ts";
import { eventually } from "../../support/eventually.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const usage = { input: 1_000, output: 10, cache_read: 0, cache_write: 0 };
/** The dollars of one call by the prices below. */
const price = 0.0101;
const nobodyListens = "http://127.0.0.1:9/api/v1/svc";

describe("the model at the door of a container", function () {
	this.timeout(60_000);
	let folder: string;
	let model: ModelServer;
	let platform: TestPlatform;
	let file: string;
	let opened: { doors: LaunchDoors; models: LaunchModels }[] = [];

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-door-"));
		model = await ModelServer.listen({ script: () => ({ text: "A word.", usage }) });
		const models = ["first", "second"].map((id) => ({
			id,
			name: id,
			provider: "scripted",
			context_window: 100_000,
			prices: { input: 10, output: 10, cache_read: 1, cache_write: 1 },
		}));
		const providers = [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: model.endpoints }];
		file = join(folder, "models.yaml");
		writeFileSync(file, stringify({ price_version: "test", providers, models }));
		const services = serviceFolders.filter((name) => name !== "pod-manager");
		platform = await startPlatform({
			processes: [services],
			readyAt: "/api/v1/svc/sessions",
			config: { models: { file } },
			env: { SCRIPTED_KEY: model.key },
		});
	});
	afterEach(async () => {
		for (const { doors, models } of opened.splice(0)) {
			await doors.closeAll();
			await models.closeAll();
		}
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	/** The doors of a process that reaches the platform at `platformUrl`. */
	function process(platformUrl = platform.prefix) {
		const catalogue = readModelCatalogue(file);
		const key = openInstallationKey(platform.dataDir, "");
		const runs = new RunFolders(join(folder, "run"));
		const models = new LaunchModels({
			runs,
			platformUrl: () => platformUrl,
			models: {
				accessOf: (name) => modelAccess(catalogue, name, () => model.key),
				modelOf: async (id) => (await platform.client().get<Session>(`/sessions/${id}`)).body.model,
				podToken: (id, generation) => key.podToken(id, generation),
			},
		});
		const egress = new LaunchEgress(
			runs,
			{ rules: operatorRules({ profile: "none", allowed: [], internal: [] }), refused: new BlockList() },
			new Metrics(),
		);
		const podToken = (of: Launch) => key.podToken(of.sessionId, of.generation);
		const one = {
			runs,
			podToken,
			models,
			egress,
			listenHost: "127.0.0.1",
			platformUrl: () => platformUrl,
			onReport() {},
		};
		const doors = new LaunchDoors(one);
		opened.push({ doors, models });
		return { doors, models, runs };
	}

	async function launched(
		{ doors, models, runs }: ReturnType<typeof process>,
		limit: number | null = null,
	): Promise<Launch> {
		const wanted = { name: "door", model: "first", source: { type: "git", repo: "" }, budget: { limit } };
		const { body, text } = await platform.client().post<Session>("/sessions", wanted);
		expect(body.id, text).to.be.a("string");
		const launch = { sessionId: body.id, generation: 1 };
		await runs.create(launch);
		await mkdir(doors.foldersOf(launch).platform, { recursive: true });
		await models.keep(launch, { model: "first", budgeted: limit !== null });
		await doors.open(launch);
		return launch;
	}

	interface Sent {
		readonly body?: string;
		readonly headers?: Record<string, string>;
	}

	async function asked(doors: LaunchDoors, launch: Launch, path: string, { body = "", headers: more = {} }: Sent = {}) {
		const socketPath = join(doors.foldersOf(launch).platform, "api.sock");
		const headers = { "content-type": "application/json", ...more };
		const outgoing = httpRequest({ socketPath, path, method: "POST", headers });
		outgoing.end(body);
		const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
		return { status: answer.statusCode, text: await textOf(answer), headers: answer.headers };
	}

	const call = (doors: LaunchDoors, launch: Launch, named = "first") =>
		asked(doors, launch, `${doorPaths.model}/openai-chat/chat/completions`, {
			body: JSON.stringify({ model: named, max_tokens: 10, messages: [{ role: "user", content: "hello" }] }),
		});

	const spent = async ({ sessionId }: Launch) =>
		(await platform.client().get<Session>(`/sessions/${sessionId}`)).body.budget.spent;

	function booked(launch: Launch, dollars: number): Promise<boolean> {
		const isBooked = async () => Math.abs((await spent(launch)) - dollars) < 1e-6;
		return eventually(isBooked, { withinMs: 20_000, what: `${dollars} are booked` });
	}

	it("is called with the provider's key, which no document of the container has", async () => {
		const { doors, ...own } = process();
		const launch = await launched({ doors, ...own });
		const catalogue = readModelCatalogue(file);
		const access = modelAccess(catalogue, "first", () => model.key);
		const spec = podSpecFor(launch.sessionId, launch.generation);
		const document = launchDocument({ ...spec, ...(access && { model_access: access }) }, "pod-manager");
		expect(JSON.stringify(document)).to.not.include(model.key);
		expect(document.listen_host).to.equal("pod-manager");
		expect(document.model_access?.endpoints.anthropic).to.equal(`${doorWays.platform.url}/model/anthropic`);
		const before = model.billed.calls.length;
		const { status, text } = await call(doors, launch, "second");
		expect([status, JSON.parse(text).choices[0].message.content]).to.deep.equal([200, "A word."]);
		// The session's model is called, whatever model the container names.
		expect(model.billed.calls.slice(before).map((one) => one.model)).to.deep.equal(["first"]);
		await booked(launch, price);
	});

	it("is not called beyond the budget, by whatever speaks at the socket", async () => {
		const { doors, ...own } = process();
		const launch = await launched({ doors, ...own }, 3 * price);
		const before = model.billed.calls.length;
		const statuses: (number | undefined)[] = [];
		for (let n = 0; n < 8; n++) statuses.push((await call(doors, launch)).status);
		const billed = model.billed.calls.length - before;
		expect(statuses.at(-1)).to.equal(402);
		expect(billed).to.equal(statuses.filter((status) => status === 200).length);
		expect(billed).to.be.within(2, 4);
		await booked(launch, billed * price);
		const refused = await call(doors, launch);
		expect(decodeURIComponent(String(refused.headers["atelier-refusal"]))).to.match(/budget/i);
	});

	it("lets a turn wait until the budget is raised", async () => {
		const { doors, ...own } = process();
		const launch = await launched({ doors, ...own }, price);
		while ((await call(doors, launch)).status === 200);
		let hasBegun = false;
		const turn = asked(doors, launch, doorPaths.turnBegins).then(({ status }) => {
			hasBegun = true;
			return status;
		});
		await eventually(
			async () => (await platform.client().get<Session>(`/sessions/${launch.sessionId}`)).body.budget.paused,
		);
		expect((await call(doors, launch)).status).to.equal(402);
		expect(hasBegun).to.equal(false);
		await platform.client().put(`/sessions/${launch.sessionId}`, { budget: { limit: 1 } });
		expect(await turn).to.equal(204);
		expect((await call(doors, launch)).status).to.equal(200);
		expect((await asked(doors, launch, doorPaths.turnEnded)).status).to.equal(204);
	});

	it("keeps usage that the platform did not get until another process has delivered it", async () => {
		const first = process(nobodyListens);
		const launch = await launched(first);
		expect((await call(first.doors, launch)).status).to.equal(200);
		await first.doors.closeAll();
		await first.models.closeAll();
		const records = join(first.runs.path(launch), "usage.jsonl");
		expect(readFileSync(records, "utf8")).to.include('"input_tokens":1000');
		for (const name of readdirSync(first.runs.path(launch)).filter((one) => one.endsWith("json")))
			expect(readFileSync(join(first.runs.path(launch), name), "utf8"), name).to.not.include(model.key);
		const away = process(nobodyListens);
		const settling = await away.models.settle(launch).catch(String);
		expect(settling).to.include("is not delivered yet");
		const second = process();
		await second.models.settle(launch);
		await booked(launch, price);
		expect(existsSync(records)).to.equal(true);
	});

	it("passes nothing on to the platform that its own launch has not said, although this identity trusts the machine", async () => {
		const { doors, ...own } = process();
		const launch = await launched({ doors, ...own });
		const other = await launched({ doors, ...own });
		const key = openInstallationKey(platform.dataDir, "");
		const tokenOf = ({ sessionId, generation }: Launch) => `Bearer ${key.podToken(sessionId, generation)}`;
		const usagePath = ({ sessionId }: Launch) => `/api/v1/svc/sessions/${sessionId}/usage`;
		const report = JSON.stringify({ tokens: 1, provider: "cloud", model: "first" });
		const status = async (of: Launch, headers: Record<string, string>) =>
			(await asked(doors, launch, usagePath(of), { body: report, headers })).status;
		expect(await status(launch, { authorization: tokenOf(launch) })).to.equal(201);
		expect(await status(launch, {})).to.equal(401);
		expect(await status(other, { authorization: tokenOf(other) })).to.equal(401);
		expect(await status(other, { authorization: tokenOf(launch) })).to.be.oneOf([403, 404]);
		const above = await asked(doors, launch, "/api/v1/svc/../../health", {
			headers: { authorization: tokenOf(launch) },
		});
		expect(above.status).to.equal(404);
		const made = await asked(doors, launch, "/api/v1/svc/sessions", {
			body: JSON.stringify({ name: "made" }),
			headers: { "x-forwarded-user": "admin" },
		});
		expect(made.status).to.equal(401);
	});

	it("follows the session to another model, which the container cannot choose", async () => {
		const { doors, ...own } = process();
		const launch = await launched({ doors, ...own });
		expect((await asked(doors, launch, doorPaths.modelChanged)).status).to.equal(204);
		await call(doors, launch, "second");
		await platform.client().put(`/sessions/${launch.sessionId}`, { model: "second" });
		expect((await asked(doors, launch, doorPaths.modelChanged)).status).to.equal(204);
		const before = model.billed.calls.length;
		await call(doors, launch);
		expect(model.billed.calls.slice(before).map((one) => one.model)).to.deep.equal(["second"]);
	});
});
