/**
 * The same platform in three processes over a real NATS server.
 * Night: a process that was killed is missed after 15 s.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { fileUrl, gitDiff, makeRepository } from "../../support/repositories/git-repository.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { runDemo } from "../../support/platform/run-demo.ts";
import {
	ask,
	createSession,
	runningSession,
	sessionReaches,
	type SessionView,
} from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

/** The lease of a dead pod manager expires after this time. */
const leaseMs = 15_000;
const processes = [["gateway", "stream"], storingServices, ["credentials", "pod-manager", "models"]];

describe("three processes over NATS", function () {
	this.timeout(120_000);
	let folder: string;
	let nats: NatsServer;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-processes-"));
		nats = await startNatsServer();
		platform = await startPlatform({ processes, env: { BUS__URL: nats.url } });
		api = platform.client();
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await nats?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	it("run a session from creation to deletion", async () => {
		const { exitCode, output } = await runDemo(platform, fileUrl(makeRepository(join(folder, "repository"))));
		expect(exitCode, output).to.equal(0);
	});

	it("tell the truth about the workspace", async () => {
		const { exitCode, output, patch, sessionId } = await runDemo(platform, "--keep");
		expect(exitCode, output).to.equal(0);
		expect(patch).to.equal(gitDiff(platform.workspace(sessionId)));
		await api.delete(`/sessions/${sessionId}`);
	});

	it("refuse a gateway and a pod manager with another installation key, also when the two understand each other", async () => {
		const env = { DATA_DIR: join(folder, "second-host"), PORT: "0" };
		const [gateway = [], , podManager = []] = processes;
		const unlike = [gateway, podManager].map((services) => platform.startProcess(services, env));
		for (const one of unlike) {
			expect(await one.ended(60_000), one.output).to.equal(1);
			expect(one.output).to.include("have another installation key; all processes need the same one");
		}
		expect(platform.processes.filter(({ hasEnded }) => hasEnded)).to.have.length(0);
	});

	it("answer 503 and never 404 while the sessions process is dead, and work goes on after its restart", async () => {
		const { id } = await runningSession(api);
		const agents = () => platform.agents().filter(({ session }) => session === id);
		const before = agents();
		expect(before).to.have.length(1);
		const [, sessions] = platform.processes;
		await sessions?.kill();
		const answers: Answer[] = [];
		const unavailable = async () => {
			const answer = await api.get(`/sessions/${id}`);
			answers.push(answer);
			return answer.status === 503;
		};
		await eventually(unavailable, { withinMs: 45_000, everyMs: 100, what: "the gateway answers 503" });
		expect(answers.map(({ status }) => status).filter((status) => status !== 503 && status !== 504)).to.deep.equal([]);
		const last = answers.at(-1);
		expect(last?.body).to.have.property("detail").that.is.a("string");
		expect(last?.headers.get("retry-after")).to.match(/^\d+$/);
		expect((await fetch(`${platform.url}/ready`)).status).to.equal(503);
		expect((await fetch(`${platform.url}/health`)).status).to.equal(200);

		platform.processes[1] = platform.startProcess(storingServices);
		await platform.ready();
		await eventually(async () => (await api.get(`/sessions/${id}`)).status === 200, { withinMs: 30_000 });
		expect(await ask(api, id, "$ echo again")).to.include("again");
		expect(agents()).to.deep.equal(before);
	});

	it("go on within 15 s after a pod manager was killed that held a claim", async () => {
		const [, , healthy] = platform.processes;
		await healthy?.stop();
		const doomed = platform.startProcess(["credentials", "pod-manager", "models"], {
			ATELIER_FAILPOINTS: "pod-manager.claimed=kill",
		});
		platform.processes[2] = doomed;
		const { id } = await createSession(api);
		// The process dies while it holds the lease.
		expect(await doomed.ended()).to.equal(null);
		const died = performance.now();
		platform.processes[2] = platform.startProcess(["credentials", "pod-manager", "models"]);
		// Other sessions do not wait for it.
		const { id: other } = await createSession(api);
		await sessionReaches(api, other, "running");
		const othersAfter = performance.now() - died;
		await eventually(async () => (await api.get<SessionView>(`/sessions/${id}`)).body.status === "running", {
			withinMs: 3 * leaseMs,
		});
		const after = performance.now() - died;
		console.log(`      its session runs after ${seconds(after)}, another one after ${seconds(othersAfter)}`);
		expect(after, "a second lease was waited for").to.be.below(2 * leaseMs);
		expect(othersAfter, "a lease was waited for").to.be.below(leaseMs);
		expect(platform.agents().filter(({ session }) => session === id)).to.have.length(1);
	});
});

function seconds(ms: number): string {
	return `${(ms / 1_000).toFixed(1)} s`;
}
