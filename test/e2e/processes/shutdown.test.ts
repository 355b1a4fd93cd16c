/**
 * SIGTERM while work is under way: waiting requests are answered, streams receive bye, and the end comes in time.
 * Night: it waits until what hangs is cut off, which is after 25 s.
 */
import { expect } from "chai";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { startNatsServer } from "../../support/bus/nats-server.ts";
import { runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, TestPlatform } from "../../support/platform/start-platform.ts";

/** The time that the platform promises. */
const endMs = 25_000;
/** `bye` waits for no answer; a slow answer takes 5 s. */
const byeMs = 4_000;

/** Sends a request to a pod that is stopped by a signal, so the answer takes as long as the platform waits for it. */
async function slowRequest(platform: TestPlatform, api: ApiClient): Promise<{ id: string; answer: Promise<Answer> }> {
	const { id } = await runningSession(api);
	for (const { pid } of platform.agents()) process.kill(pid, "SIGSTOP");
	const answer = api.get(`/sessions/${id}/logs`);
	// The request is under way when the gateway has answered a later one.
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

/** Sends one request after the other, each over a connection of its own like a new client, until none is accepted. */
async function sendRequests(platform: TestPlatform, onAnswer: () => void): Promise<void> {
	while (await acceptsConnections(platform)) {
		const request = fetch(`${platform.prefix}/sessions`, {
			headers: { ...platform.login.headers, Connection: "close" },
		});
		const answer = await request.catch(() => undefined);
		if (answer?.status === 200) onAnswer();
	}
}

describe("SIGTERM", function () {
	this.timeout(120_000);
	/** It takes 25 s of waiting, which the other tests use. */
	let hanging: Promise<HangingEnd>;

	before(() => {
		hanging = endOfHanging();
		// Its test reports a failure.
		hanging.catch(() => {});
	});

	it("streams receive bye at once, a slow request is answered, and new connections are refused", async () => {
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
		await stream.event(({ event }) => event === "bye", { withinMs: byeMs });
		expect(await acceptsConnections(platform)).to.equal(false);
		expect(isAnswered, "the request was not slow").to.equal(false);
		// The answer is the stored history, or that the pod does not answer; it is not that services have ended.
		const { status, text, headers } = await answered;
		expect(status, text).to.be.oneOf([200, 502, 504]);
		expect(headers.get("connection")).to.equal("close");
		expect(await main?.ended(endMs)).to.equal(0);
		expect(performance.now() - begun).to.be.below(endMs);

		for (const { pid } of platform.agents()) process.kill(pid, "SIGCONT");
		await platform.start();
		await sessionReaches(api, id, "running");
	});

	it("a second signal ends the platform at once", async () => {
		await using platform = await startPlatform();
		const stream = await platform.events();
		const { answer } = await slowRequest(platform, platform.client());
		const failed = answer.catch((error: unknown) => error);
		const [main] = platform.processes;
		main?.signal("SIGTERM");
		await stream.event(({ event }) => event === "bye", { withinMs: byeMs });
		// A signal within a second counts as the same signal.
		const again = () => {
			main?.signal("SIGTERM");
			return main?.hasEnded;
		};
		await eventually(again, { withinMs: 4_000, everyMs: 100, what: "the second signal has ended it" });
		expect(main?.exitCode).to.equal(1);
		expect(await failed).to.be.instanceOf(TypeError);
	});

	for (const signal of ["SIGTERM", "SIGINT"] as const)
		for (const moment of ["start.signals-heard", "start.composed-sessions", "start.composed-pod-manager"])
			it(`${signal} at "${moment}" ends the start with 0, and the next one is none the worse`, async () => {
				await using platform = new TestPlatform(await freePort(), {});
				const early = platform.startProcess([], { ATELIER_FAILPOINTS: `${moment}=stop` });
				await eventually(() => stateOf(early.pid) === "T", { withinMs: 10_000, everyMs: 2 });
				early.signal(signal);
				early.signal("SIGCONT");
				expect(await early.ended(), early.output).to.equal(0);
				expect(early.output).to.not.include("    at ");
				await platform.start();
			});

	it("at any later moment of a start it also ends the start", async () => {
		await using platform = await startPlatform();
		await platform.stop();
		const heard: number[] = [];
		for (const ms of [0, 50, 150, 300, 500, 700, 900]) {
			const begun = performance.now();
			const early = platform.startProcess([], { ATELIER_FAILPOINTS: "start.signals-heard=stop" });
			await eventually(() => stateOf(early.pid) === "T", { withinMs: 10_000, everyMs: 2 });
			heard.push(performance.now() - begun);
			early.signal("SIGCONT");
			await sleep(ms);
			early.signal("SIGTERM");
			expect(await early.ended(), early.output).to.equal(0);
			expect(early.output).to.not.include("    at ");
		}
		console.log(`      signals are heard ${Math.round(Math.min(...heard))} ms after the process was made`);
		await platform.start();
	});

	it("while the bus cannot be reached it ends the platform in order", async () => {
		await using platform = new TestPlatform(await freePort(), {
			env: { BUS__URL: `nats://127.0.0.1:${await freePort()}` },
		});
		const waiting = platform.startProcess([]);
		platform.processes = [waiting];
		await eventually(async () => (await fetch(`${platform.url}/health`)).status === 200, { withinMs: 15_000 });
		waiting.signal("SIGTERM");
		expect(await waiting.ended()).to.equal(0);
	});

	it("a gateway behind a load balancer reports its end for 2 s, and accepts requests meanwhile", async () => {
		await using nats = await startNatsServer();
		await using platform = await startPlatform({ env: { BUS__URL: nats.url } });
		const stream = await platform.events();
		const answers: number[] = [];
		const client = sendRequests(platform, () => answers.push(performance.now()));
		await eventually(() => answers.length > 2, { what: "a client is served" });
		const [main] = platform.processes;
		const begun = performance.now();
		main?.signal("SIGTERM");
		await eventually(async () => (await fetch(`${platform.url}/ready`)).status === 503, { everyMs: 2 });
		const unready = performance.now() - begun;
		const { text } = await platform.client().get("/sessions");
		expect(text).to.equal("[]");
		while (await acceptsConnections(platform))
			expect((await fetch(`${platform.url}/ready`).catch(() => undefined))?.status ?? 503).to.equal(503);
		const closed = performance.now() - begun;
		await client;
		const meanwhile = answers.filter((at) => at > begun + unready).length;
		await stream.event(({ event }) => event === "bye");
		expect(await main?.ended()).to.equal(0);
		console.log(
			`      unready after ${unready.toFixed(0)} ms, ${meanwhile} requests answered, closed after ${closed.toFixed(0)} ms`,
		);
		expect(meanwhile, "requests of the client that are answered meanwhile").to.be.above(0);
		// An idle machine needs 300 ms; tests share theirs.
		expect(unready).to.be.below(900);
		// The loop lasts as long as requests are accepted. A timer may be a little early, and the machine is shared.
		expect(closed).to.be.within(1_990, 6_000);
	});

	it("the end waits as long as the configuration says, and what hangs is aborted at 25 s", async () => {
		const { code, ms, output } = await hanging;
		console.log(`      ended by force after ${Math.round(ms)} ms`);
		expect(code, output).to.equal(1);
		expect(ms).to.be.within(endMs - 100, endMs + 5_000);
	});
});

interface HangingEnd {
	readonly code: number | null;
	readonly ms: number;
	readonly output: string;
}

/** Ends a platform whose pods never end. */
async function endOfHanging(): Promise<HangingEnd> {
	const runtime = { adapter: "test/support/pods/silent-pods.ts#SilentPods" };
	const config = { pods: { runtime }, shutdown: { unready_ms: 1_000 } };
	await using platform = new TestPlatform(await freePort(), { config });
	const main = platform.startProcess([]);
	await eventually(async () => (await fetch(`${platform.url}/health`)).status === 200, { withinMs: 60_000 });
	const begun = performance.now();
	main.signal("SIGTERM");
	const code = await main.ended(endMs + 10_000);
	return { code, ms: performance.now() - begun, output: main.output };
}

/** The state is one letter (proc(5)); T is stopped. */
function stateOf(pid: number): string | undefined {
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	return stat[stat.lastIndexOf(")") + 2];
}
