/**
 * A thousand clients on real sockets with a gateway in a separate process, over NATS and the real event log.
 * Night: it connects a thousand clients.
 * Alone: it measures memory and is a load to the machine.
 */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { EventIds } from "#services/stream/event-ids.ts";
import { Crowd } from "../../support/clients/crowd.ts";
import { EventLogNode } from "../../support/stores/event-log-node.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { heldConnections } from "../../support/clients/held-connections.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { type PlatformProcess, TestPlatform } from "../../support/platform/start-platform.ts";
import { streamPath } from "../../support/platform/start-stream.ts";

const megabyte = 1024 * 1024;

describe("stream: a crowd", function () {
	this.timeout(120_000);
	let nats: NatsServer;
	let platform: TestPlatform;
	let log: EventLogNode;
	let gateway: PlatformProcess;
	let port: number;
	/** Ends the watchers. */
	let watch: AbortController;

	/** Resolves when the gateway follows the log. */
	async function startGateway(env: Record<string, string> = {}): Promise<void> {
		gateway = platform.startProcess(["gateway", "stream"], env);
		platform.processes = [gateway];
		await eventually(async () => !/bus:|event log/.test(await lacks()), {
			withinMs: 30_000,
			what: "the gateway follows the log",
		});
	}

	async function lacks(): Promise<string> {
		// The server counts connections, so this one is closed.
		return (await fetch(`${platform.url}/ready`, { headers: { connection: "close" } })).text();
	}

	beforeEach(async () => {
		watch = new AbortController();
		nats = await startNatsServer();
		port = await freePort();
		platform = new TestPlatform(port, { env: { BUS__URL: nats.url } });
		log = await EventLogNode.start(platform.dataDir, nats.url);
		await startGateway();
	});

	afterEach(async () => {
		watch.abort();
		// A part that the start did not reach is undefined.
		await platform?.[Symbol.asyncDispose]();
		await log?.[Symbol.asyncDispose]();
		await nats?.[Symbol.asyncDispose]();
	});

	const order = (readers: number, idle = { deaf: 0, trickling: 0 }) => ({
		port,
		dataDir: platform.dataDir,
		path: streamPath,
		headers: platform.login.headers,
		readers,
		...idle,
	});

	/** Writes as fast as clients read: the test is that slow clients do no harm. */
	async function writeTo(crowd: Crowd, events: number): Promise<void> {
		while (log.written < events) {
			await log.append(Math.min(100, events - log.written));
			await crowd.until(({ slowest, faults }) => faults.length > 0 || slowest >= log.written - 200, {
				withinMs: 30_000,
			});
		}
		await crowd.until(({ slowest }) => slowest === events, { withinMs: 10_000 });
		expect(crowd.report.faults).to.deep.equal([]);
	}

	it("980 clients that read get 8,000 events in order, none twice; 20 that never read are disconnected", async () => {
		const events = 8_000;
		const before = memoryOf(gateway);
		await using crowd = new Crowd(order(980, { deaf: 20, trickling: 5 }));
		await crowd.until(({ open, idleOpen }) => open === 980 && idleOpen === 25, { withinMs: 15_000 });
		await eventually(() => heldConnections(port) === 1_005);
		const begun = performance.now();
		await writeTo(crowd, events);
		const ms = performance.now() - begun;
		await crowd.until(({ idleOpen }) => idleOpen === 0, { withinMs: 10_000 });
		const { open, reconnects } = crowd.report;
		expect({ open, reconnects }).to.deep.equal({ open: 980, reconnects: 0 });
		await crowd[Symbol.asyncDispose]();
		await eventually(() => heldConnections(port) === 0, { what: "the gateway has let go of all sockets" });
		const after = memoryOf(gateway);
		console.log(
			`      gateway: ${megabytes(before.resident)} before, ${megabytes(after.peak)} at most, ` +
				`${megabytes(after.resident)} after all left; ${Math.round((980 * events * 1_000) / ms)} deliveries/s`,
		);
		expect(after.peak - before.resident).to.be.below(150 * megabyte);
		expect(after.resident - before.resident).to.be.below(100 * megabyte);
	});

	it("500 clients whose gateway is killed all come back within 15 s, and miss nothing", async () => {
		await using crowd = new Crowd(order(500));
		await crowd.until(({ open }) => open === 500, { withinMs: 15_000 });
		await writeTo(crowd, 500);
		await gateway.kill();
		await log.append(300);
		await startGateway();
		const since = performance.now();
		const statuses = watchOthers(platform, watch.signal);
		await crowd.until(({ open, reconnects }) => open === 500 && reconnects >= 500, { withinMs: 20_000 });
		expect(performance.now() - since).to.be.below(15_000);
		await writeTo(crowd, 1_500);
		watch.abort();
		expect(await statuses).to.deep.equal(new Set([200]));
	});

	it("400 clients that return to a gateway with room for fewer are refused quickly, without harm to others", async () => {
		const room = { STREAM__MAX_CLIENTS: "200" };
		await gateway.kill();
		await startGateway(room);
		await using crowd = new Crowd(order(400));
		await crowd.until(({ open, refused }) => open === 200 && refused >= 200, { withinMs: 15_000 });
		await gateway.kill();
		await startGateway(room);
		const since = performance.now();
		const statuses = watchOthers(platform, watch.signal);
		await crowd.until(({ open }) => open === 200, { withinMs: 20_000 });
		const back = performance.now() - since;
		const asked = performance.now();
		const answer = await fetch(`${platform.url}${streamPath}`, { headers: platform.login.headers });
		const refusedAfter = performance.now() - asked;
		expect([answer.status, answer.headers.get("retry-after")]).to.deep.equal([503, "1"]);
		console.log(
			`      200 of 400 are back after ${(back / 1_000).toFixed(1)} s, one more is refused after ${refusedAfter.toFixed(0)} ms`,
		);
		expect(back).to.be.below(15_000);
		expect(refusedAfter).to.be.below(3_000);
		await eventually(() => heldConnections(port) <= 300, { what: "nobody who was refused is held" });
		watch.abort();
		expect(await statuses).to.deep.equal(new Set([200]));
		expect(crowd.report).to.deep.include({ open: 200, faults: [] });
	});

	it("300 clients that freeze are disconnected, and miss nothing when they continue", async () => {
		await using crowd = new Crowd(order(300));
		await crowd.until(({ open }) => open === 300, { withinMs: 15_000 });
		await writeTo(crowd, 200);
		const before = memoryOf(gateway);
		await using reader = await platform.events();
		crowd.freeze();
		// The events exceed what the connections can hold, but only a little: a client that is too far behind starts
		// over.
		const ids = new EventIds(openInstallationKey(platform.dataDir, "").streamSeal());
		while (heldConnections(port) > 1) {
			await log.append(100);
			await eventually(() => ids.read(reader.lastEventId ?? "").seq === log.written);
		}
		expect(memoryOf(gateway).resident - before.resident).to.be.below(150 * megabyte);
		crowd.thaw();
		await writeTo(crowd, log.written + 100);
		expect(crowd.report.reconnects).to.equal(300);
	});
});

/** The statuses of repeated requests of others, until the signal aborts. */
async function watchOthers({ prefix, login: { headers } }: TestPlatform, signal: AbortSignal): Promise<Set<number>> {
	const statuses = new Set<number>();
	while (!signal.aborted) {
		const { status } = await fetch(`${prefix}/stats`, { headers, signal: AbortSignal.timeout(10_000) });
		statuses.add(status);
		await sleep(50);
	}
	return statuses;
}

/** The resident bytes of the process, now and at most. */
function memoryOf({ pid }: PlatformProcess): { resident: number; peak: number } {
	const text = readFileSync(`/proc/${pid}/status`, "utf8");
	const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) * 1024;
	return { resident: bytes("VmRSS"), peak: bytes("VmHWM") };
}

function megabytes(bytes: number): string {
	return `${Math.round(bytes / megabyte)} MB`;
}
