/** SIGTERM while something is under way: who waits gets an answer, streams a goodbye, and the end comes in time. */
import { expect } from "chai";
import { connect } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ApiClient } from "../support/api-client.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { runningSession, sessionReaches } from "../support/session-steps.ts";
import { startPlatform, TestPlatform } from "../support/start-platform.ts";

/** The promise of the platform. */
const endMs = 25_000;

/** Asks a pod that has been stopped in its tracks, so that the answer takes as long as the platform waits for it. */
async function slowRequest(platform: TestPlatform, api: ApiClient): Promise<{ id: string; answer: Promise<Answer> }> {
	const { id } = await runningSession(api);
	for (const { pid } of platform.agents()) process.kill(pid, "SIGSTOP");
	const answer = api.get(`/sessions/${id}/logs`);
	// It is under way when the gateway has answered one that was sent after it.
	await api.get("/stats");
	return { id, answer };
}

async function acceptsConnections({ url }: TestPlatform): Promise<boolean> {
	const { port, hostname } = new URL(url);
	const socket = connect(Number(port), hostname);
	try {
		await once(socket, "connect");
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}

describe("SIGTERM", function () {
	this.timeout(60_000);

	it("streams hear goodbye at once, a slow request is answered, nobody new gets in", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const stream = await platform.events();
		const { id, answer } = await slowRequest(platform, api);
		let isAnswered = false;
		const answered = answer.finally(() => {
			isAnswered = true;
		});
		const [main] = platform.processes;
		const begun = performance.now();
		main?.signal("SIGTERM");
		await stream.event(({ event }) => event === "bye", { withinMs: 2_000 });
		expect(await acceptsConnections(platform)).to.equal(false);
		expect(isAnswered, "the request was not slow").to.equal(false);
		// What was kept of the session, or that its pod does not answer; not that services have gone.
		const { status, text, headers } = await answered;
		expect(status, text).to.be.oneOf([200, 502, 504]);
		expect(headers.get("connection")).to.equal("close");
		expect(await main?.ended(endMs)).to.equal(0);
		expect(performance.now() - begun).to.be.below(endMs);

		for (const { pid } of platform.agents()) process.kill(pid, "SIGCONT");
		await platform.start();
		await sessionReaches(api, id, "running");
	});

	it("the second signal ends it at once", async () => {
		await using platform = await startPlatform();
		const stream = await platform.events();
		const { answer } = await slowRequest(platform, platform.client());
		const failed = answer.catch((error: unknown) => error);
		const [main] = platform.processes;
		main?.signal("SIGTERM");
		await stream.event(({ event }) => event === "bye", { withinMs: 2_000 });
		main?.signal("SIGTERM");
		expect(await main?.ended(1_000)).to.equal(1);
		expect(await failed).to.be.instanceOf(TypeError);
	});

	it("at any moment of a start it ends the start, and the next one is none the worse", async () => {
		await using platform = await startPlatform();
		await platform.stop();
		for (const ms of [50, 150, 300, 500, 700, 900]) {
			const early = platform.startProcess([]);
			await sleep(ms);
			early.signal("SIGTERM");
			await early.ended(5_000);
			expect(early.output).to.not.include("    at ");
		}
		await platform.start();
	});

	it("while the bus is not there yet it ends in order", async () => {
		await using platform = new TestPlatform(await freePort(), {
			env: { BUS__URL: `nats://127.0.0.1:${await freePort()}` },
		});
		const waiting = platform.startProcess([]);
		platform.processes = [waiting];
		await eventually(async () => (await fetch(`${platform.url}/health`)).status === 200, { withinMs: 15_000 });
		waiting.signal("SIGTERM");
		expect(await waiting.ended(5_000)).to.equal(0);
	});
});
