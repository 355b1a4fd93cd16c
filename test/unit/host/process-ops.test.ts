import { expect } from "chai";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import { ProcessOps } from "#host/process-ops.ts";
import { StartWait } from "#host/start-wait.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { ReadinessCheck } from "#host/platform.ts";
import { eventually } from "../../support/eventually.ts";
import { rawRequest, sendRaw } from "../../support/clients/raw-http.ts";

describe("ProcessOps", () => {
	const checks = new Map<string, ReadinessCheck>();
	const shortcomings: string[] = [];
	let ops: ProcessOps;
	let start: StartWait;
	let url = "";

	beforeEach(async () => {
		checks.clear();
		shortcomings.length = 0;
		start = new StartWait();
		ops = new ProcessOps({
			config: { ops: { host: "127.0.0.1", port: 0 } },
			metrics: new Metrics(),
			readiness: checks,
			shortcomings,
			start,
		});
		url = (await ops.listen()) ?? "";
	});

	afterEach(() => ops.close());

	async function get(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
		const response = await fetch(url + path, init);
		return { status: response.status, text: await response.text() };
	}

	it("says that the process lives", async () => {
		expect(await get("/health")).to.deep.equal({ status: 200, text: '{"status":"healthy"}' });
	});

	it("says which guarantees the process cannot give", async () => {
		shortcomings.push("The engine does not bound the files of a workspace");
		expect(JSON.parse((await get("/health")).text)).to.deep.equal({ status: "healthy", shortcomings });
	});

	it("is ready when all parts have started and all checks succeed, until the end begins", async () => {
		const starting = '{"detail":"Not ready: start: the process is starting"}';
		expect(await get("/ready")).to.deep.equal({ status: 503, text: starting });
		start.done();
		expect((await get("/ready")).status).to.equal(200);
		checks.set("store", async () => {
			throw new Error("it does not answer");
		});
		expect((await get("/ready")).text).to.equal('{"detail":"Not ready: store: it does not answer"}');
		checks.clear();
		ops.drain();
		expect((await get("/ready")).text).to.equal('{"detail":"Not ready: the process is ending"}');
	});

	it("says what its start waits for, and shows it as a check", async () => {
		start.waitFor("it waits for the store");
		expect((await get("/ready")).text).to.equal('{"detail":"Not ready: start: it waits for the store"}');
		expect((await get("/metrics")).text).to.include('atelier_ready{check="start"} 0\n');
		start.done();
		expect((await get("/metrics")).text).to.include('atelier_ready{check="start"} 1\n');
	});

	it("shows the metrics of the process, and which checks fail", async () => {
		checks.set("bus", async () => {});
		checks.set("store", async () => {
			throw new Error("it does not answer");
		});
		const { status, text } = await get("/metrics");
		expect(status).to.equal(200);
		expect(text).to.include('atelier_ready{check="bus"} 1\natelier_ready{check="store"} 0\n');
		expect(text)
			.to.match(/^atelier_process_cpu_seconds_total \d/m)
			.and.to.match(/^atelier_process_resident_bytes \d/m);
	});

	it("reads the metrics once for all who ask at the same time", async () => {
		const metrics = new Metrics();
		let reads = 0;
		const reading = Promise.withResolvers<number>();
		metrics.sample("atelier_outbox_entries", () => {
			reads++;
			return reading.promise;
		});
		const shared = new ProcessOps({
			config: { ops: { host: "127.0.0.1", port: 0 } },
			metrics,
			readiness: checks,
			shortcomings,
			start,
		});
		const place = (await shared.listen()) ?? "";
		let received = 0;
		const onRequest = () => void received++;
		subscribe("http.server.request.start", onRequest);
		try {
			const asked = Array.from({ length: 20 }, () => httpGet(`${place}/metrics`));
			const answers = asked.map(async (request) => {
				const [answer]: IncomingMessage[] = await once(request, "response");
				return answer?.resume().statusCode;
			});
			await eventually(() => received === asked.length, {
				what: "all have asked before the first one gets its answer",
			});
			reading.resolve(7);
			expect(await Promise.all(answers)).to.deep.equal(Array.from({ length: 20 }, () => 200));
			expect(reads).to.equal(1);
		} finally {
			unsubscribe("http.server.request.start", onRequest);
			shared.close();
		}
	});

	it("has nothing else, and changes nothing", async () => {
		expect((await get("/")).status).to.equal(404);
		expect((await get("/metrics?x=1")).status).to.equal(404);
		expect((await get("/health", { method: "POST", body: "x" })).status).to.equal(405);
		expect(await get("/health", { method: "HEAD" })).to.deep.equal({ status: 200, text: "" });
	});

	it("refuses web pages: a name that resolves to loopback, and a foreign origin", async () => {
		const port = Number(new URL(url).port);
		const asked = await sendRaw(port, rawRequest("GET /metrics", { Host: `evil.example:${port}` }));
		expect(asked.status).to.equal(403);
		expect((await get("/metrics", { headers: { origin: "http://evil.example" } })).status).to.equal(403);
	});

	it("does not listen without a port", async () => {
		const silent = new ProcessOps({
			config: { ops: { host: "127.0.0.1" } },
			metrics: new Metrics(),
			readiness: checks,
			shortcomings,
			start,
		});
		expect(await silent.listen()).to.equal(undefined);
		silent.close();
	});
});
