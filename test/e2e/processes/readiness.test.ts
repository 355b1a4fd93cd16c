/**
 * The answers of `/ready` while the bus cannot be reached, and the recovery of a platform whose bus returns.
 * Night: it waits until processes that lost their bus find each other again.
 */
import { expect } from "chai";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadParts, serviceFolders } from "#host/service-folders.ts";
import { openStorage } from "#host/storage/storage.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { runningSession } from "../../support/platform/session-steps.ts";
import { testPlatform } from "../../support/platform/start-gateway.ts";
import { startPlatform, TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

async function readyStatus({ url }: TestPlatform): Promise<number> {
	return (await fetch(`${url}/ready`)).status;
}

/** Resolves with the milliseconds until `/ready` has this status. */
async function readyTurns(platform: TestPlatform, status: number, withinMs: number): Promise<number> {
	const begun = performance.now();
	await eventually(async () => (await readyStatus(platform)) === status, { withinMs, what: `/ready is ${status}` });
	return performance.now() - begun;
}

describe("readiness", function () {
	this.timeout(60_000);

	/** The bound is two seconds, and three times that on a busy machine. */
	const turnMs = 6_000;

	it("is lost within 2 s when the bus is killed, and returns with the bus, and work goes on", async () => {
		await using nats = await startNatsServer();
		await using platform = await startPlatform({ env: { BUS__URL: nats.url } });
		for (let round = 0; round < 2; round++) {
			await nats.kill();
			expect(await readyTurns(platform, 503, 15_000)).to.be.below(turnMs);
			expect(await (await fetch(`${platform.url}/ready`)).text()).to.include("bus");
			expect((await fetch(`${platform.url}/health`)).status).to.equal(200);
			await nats.start();
			expect(await readyTurns(platform, 200, 15_000)).to.be.below(turnMs);
		}
		await runningSession(platform.client());
	});

	it("survives a bus that refuses the platform's credentials for a while", async () => {
		const us = { user: "atelier", password: "open-sesame" };
		await using nats = new NatsServer(await freePort());
		await nats.start(us);
		await using platform = await startPlatform({ env: { BUS__URL: nats.urlFor(us) } });
		await nats.kill();
		await nats.start({ ...us, password: "changed" });
		await readyTurns(platform, 503, 15_000);
		// The time is long enough for several refusals; two in a row make a client without the setting give up.
		const until = performance.now() + 4_000;
		await eventually(async () => performance.now() > until && (await readyStatus(platform)) === 503, {
			withinMs: 15_000,
		});
		await nats.kill();
		await nats.start(us);
		await readyTurns(platform, 200, 15_000);
		expect(platform.processes.map(({ hasEnded }) => hasEnded)).to.deep.equal([false]);
		expect(platform.output).to.not.include("open-sesame");
		await runningSession(platform.client());
	});

	it("a platform without its bus says so, and becomes ready when the bus starts", async () => {
		await using nats = new NatsServer(await freePort());
		await using platform = new TestPlatform(await freePort(), { env: { BUS__URL: nats.url } });
		platform.processes = [platform.startProcess([])];
		await readyTurns(platform, 503, 15_000);
		await nats.start();
		await platform.ready();
	});

	it("names the services that wait for sessions, until sessions runs", async () => {
		await using nats = await startNatsServer();
		await using platform = new TestPlatform(await freePort(), { env: { BUS__URL: nats.url } });
		const first = platform.startProcess(["gateway", "stream", "credentials", "pod-manager", "models"]);
		platform.processes = [first];
		const answer = await eventually(
			async () => {
				const { status, body } = await new ApiClient(platform.url).get<{ detail: string }>("/ready");
				return status === 503 && body.detail.includes("bus") ? undefined : body.detail;
			},
			{ withinMs: 15_000 },
		);
		expect(answer).to.include("event log: ").and.to.include("pod manager: ");
		expect(existsSync(join(platform.dataDir, "store")), "a store for nobody").to.equal(false);
		platform.processes = [first, platform.startProcess(storingServices)];
		await platform.ready();
	});

	it("fails when the store is closed", async () => {
		const dataDir = mkdtempSync(join(tmpdir(), "atelier-readiness-"));
		const { config, ...testbed } = testPlatform({});
		const parts = await loadParts(serviceFolders);
		const { store } = await openStorage({ ...testbed, config: { ...config, data_dir: dataDir } }, parts);
		const check = testbed.readiness.get("store");
		await check?.();
		await store.close();
		expect(await failureOf(check?.() ?? Promise.resolve())).to.be.instanceOf(Error);
		rmSync(dataDir, { recursive: true });
	});
});
