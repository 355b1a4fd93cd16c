import { expect } from "chai";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "#shared/config/config.ts";
import { chosenRuntime, openChoice } from "#services/pod-manager/chosen-runtime.ts";
import { keepMark } from "#services/pod-manager/runtime-change/runtime-mark.ts";
import { failureOf } from "../../../support/failure-of.ts";

describe("chosenRuntime()", () => {
	let folder: string;
	let socket: string;
	let engine: Server | undefined;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-chosen-"));
		mkdirSync(join(folder, "host"));
		socket = join(folder, "engine.sock");
	});
	afterEach(() => {
		stopEngine();
		rmSync(folder, { recursive: true });
	});

	/** An engine that has the image of sessions, or has it not. */
	async function startEngine(status: number): Promise<void> {
		engine = createServer((request, response) => {
			const isAsked = request.url?.endsWith("/images/atelier/session/json") === true;
			response.writeHead(isAsked ? status : 500, { "content-type": "application/json" }).end("{}");
		});
		engine.listen(socket);
		await once(engine, "listening");
	}

	function stopEngine(): void {
		engine?.close();
		engine?.closeAllConnections();
		engine = undefined;
	}

	async function choice(): Promise<[runtime: string | undefined, sentence: string]> {
		const { ref, sentence } = await chosenRuntime(
			{ adapter: "auto", kwargs: { socket }, secret_kwargs_env: {} },
			{ dataDir: folder },
		);
		return [ref.adapter.split("#")[1], sentence];
	}

	it("takes processes where there is no engine, and says why", async () => {
		const [runtime, sentence] = await choice();
		expect(runtime).to.equal("LocalProcessRuntime");
		expect(sentence)
			.to.include(`No container engine listens at "${socket}"`)
			.and.include('the configuration key "pods.runtime.kwargs.socket"');
	});

	it("takes processes where the engine has no image of sessions", async () => {
		await startEngine(404);
		const [runtime, sentence] = await choice();
		expect(runtime).to.equal("LocalProcessRuntime");
		expect(sentence).to.include('has no image "atelier/session"');
	});

	it("takes containers where both are there, and stays with them while the engine is away", async () => {
		await startEngine(200);
		expect((await choice())[0]).to.equal("ContainersRuntime");
		// The runtime writes it when the engine was proven; until then the choice is open.
		await keepMark(folder, { socket });
		stopEngine();
		expect(await choice()).to.deep.equal(["ContainersRuntime", "Sessions run in containers, as they did before"]);
	});

	it("gives each runtime the arguments that it knows, and refuses one that none knows", async () => {
		// A variable of the environment has text only.
		const asked = (more: object) => ({
			adapter: "auto",
			kwargs: { socket, user: "231002", waiting: "3", listen_host: "10.0.0.1", ...more },
			secret_kwargs_env: {},
		});
		const inProcesses = await chosenRuntime(asked({}), { dataDir: folder });
		expect(inProcesses.ref.kwargs).to.deep.equal({ waiting: "3", listen_host: "10.0.0.1" });
		expect(inProcesses.sentence).to.match(/have no effect there: socket, user$/);
		await startEngine(200);
		const inContainers = await chosenRuntime(asked({}), { dataDir: folder });
		expect(inContainers.ref.kwargs).to.deep.equal({ socket, user: "231002", listen_host: "10.0.0.1" });
		expect(inContainers.sentence).to.match(/have no effect there: waiting$/);
		const { message } = await failureOf<Error>(chosenRuntime(asked({ wating: "3" }), { dataDir: folder }));
		expect(message).to.include('"wating"').and.include("waiting");
	});

	it("is the shipped default", () => {
		expect(loadConfig({}).pods.runtime.adapter).to.equal(openChoice);
	});

	it("does not leave sessions behind that run as processes", async () => {
		await startEngine(200);
		mkdirSync(join(folder, "run", "3f0c2a11-0000-4000-8000-000000000001-g1"), { recursive: true });
		const [runtime, sentence] = await choice();
		expect(runtime).to.equal("LocalProcessRuntime");
		expect(sentence).to.include("some of them still run");
		rmSync(join(folder, "run"), { recursive: true });
		expect((await choice())[0]).to.equal("ContainersRuntime");
	});
});
