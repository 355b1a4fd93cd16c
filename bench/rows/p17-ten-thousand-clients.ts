import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../test/support/machine/free-port.ts";
import { startNatsServer } from "../../test/support/bus/nats-server.ts";
import { type PlatformProcess, TestPlatform } from "../../test/support/platform/start-platform.ts";
import { streamPath } from "../../test/support/platform/start-stream.ts";
import { EventLogNode } from "../../test/support/stores/event-log-node.ts";
import { eventually } from "../../test/support/eventually.ts";
import { cpuMicros, memoryBytes } from "../process-cost.ts";
import { Program } from "../program.ts";
import { quantile } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";
import type { SinkOrder, SinkReport } from "../sse-sink.ts";

const gateways = 2;
const clientsOfOne = 5_000;
const events = 50;
const everyMs = 200;

/** The longest time in which the clients connect, or get an event, in milliseconds. */
const patienceMs = 120_000;

export const p17: Row = {
	id: "P17",
	title: "10,000 clients on two gateways over NATS: memory of a client, time and processor time of a delivery",
	async measure(): Promise<Measured> {
		await using stack = new AsyncDisposableStack();
		const nats = stack.use(await startNatsServer());
		const env = { BUS__URL: nats.url, STREAM__MAX_CLIENTS: String(clientsOfOne) };
		const platform = stack.use(new TestPlatform(await freePort(), { env }));
		const log = stack.use(await EventLogNode.start(platform.dataDir, nats.url));
		const each = await Promise.all(Array.from({ length: gateways }, () => startGateway(platform)));
		const before = each.map(({ process }) => memoryBytes(process.pid));
		const sinks: Program<object>[] = [];
		for (const { port } of each) {
			const { headers } = platform.login;
			const order: SinkOrder = { port, path: streamPath, headers, clients: clientsOfOne, measuring: clientsOfOne };
			sinks.push(stack.use(await Program.start<object>("./sse-sink.ts", order)));
		}
		await untilAll(sinks, ({ open }) => open === clientsOfOne);
		const grown = each.map(({ process }, index) => memoryBytes(process.pid) - (before[index] ?? 0));
		const cpu = each.map(({ process }) => cpuMicros(process.pid));
		const broadcasts: number[] = [];
		for (let n = 1; n <= events; n++) {
			await log.append(1);
			const reports = await untilAll(sinks, ({ slowest }) => slowest >= n);
			broadcasts.push(Math.max(...reports.flatMap(({ latencies }) => latencies)));
			await pause(everyMs);
		}
		const used = each.map(({ process }, index) => cpuMicros(process.pid) - (cpu[index] ?? 0));
		const figures = {
			kb_per_client: sum(grown) / (gateways * clientsOfOne) / 1_024,
			cpu_us_per_delivery: sum(used) / (gateways * clientsOfOne * events),
			broadcast_p50_ms: quantile(broadcasts, 0.5),
			broadcast_p99_ms: quantile(broadcasts, 0.99),
		};
		return {
			verdicts: [
				{ what: "KB of a client", value: figures.kb_per_client, compare: "<=", target: 40 },
				{ what: "ms until all have an event, p99", value: figures.broadcast_p99_ms, compare: "<=", target: 1_000 },
			],
			figures,
		};
	},
};

interface Gateway {
	readonly process: PlatformProcess;
	readonly port: number;
}

/** Starts a gateway; resolves when it follows the log. */
async function startGateway(platform: TestPlatform): Promise<Gateway> {
	const port = await freePort();
	const process = platform.startProcess(["gateway", "stream"], { PORT: String(port) });
	platform.processes = [...platform.processes, process];
	const isFollowing = async () => {
		const answer = await fetch(`http://127.0.0.1:${port}/ready`, { headers: { connection: "close" } });
		return !(await answer.text()).includes("event log");
	};
	await eventually(isFollowing, { withinMs: patienceMs });
	return { process, port };
}

/** Resolves to all reports since the call, when the clients of each program are as they should be. */
async function untilAll(
	sinks: readonly Program<object>[],
	accepts: (report: SinkReport) => boolean,
): Promise<SinkReport[]> {
	const found = sinks.map(async (sink) => {
		const reports: SinkReport[] = [];
		const end = performance.now() + patienceMs;
		for (;;) {
			const next = sink.next<SinkReport>();
			sink.send({});
			const report = await next;
			reports.push(report);
			if (accepts(report)) return reports;
			if (performance.now() > end) throw new Error(`The clients are at ${report.open}, ${report.slowest}`);
			await pause(5);
		}
	});
	return (await Promise.all(found)).flat();
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}
