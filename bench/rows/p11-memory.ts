import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { filledPlatform } from "../filled-platform.ts";
import { platformWithoutPods, wholePlatform } from "../platform.ts";
import { memoryBytes } from "../process-cost.ts";
import { Program } from "../program.ts";
import { median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";
import type { SinkReport } from "../sse-sink.ts";

const clients = 1_000;
const sessions = 2_000;
/** How long a process rests before it is measured, in milliseconds. */
const restMs = 5_000;
const megabyte = 1e6;

export const p11: Row = {
	id: "P11",
	title: "Memory: the whole platform at rest; each idle session; each client of the event stream",
	async measure(): Promise<Measured> {
		const rest = await atRest();
		const figures = {
			at_rest_mb: rest.again / megabyte,
			first_start_mb: rest.first / megabyte,
			per_session_kb: (await perSession()) / 1_000,
			per_client_kb: (await perClient()) / 1_000,
		};
		return {
			verdicts: [
				{ what: "MB at rest", value: figures.at_rest_mb, compare: "<=", target: 170 },
				{ what: "KB each idle session", value: figures.per_session_kb, compare: "<=", target: 20 },
				{ what: "KB each stream client", value: figures.per_client_kb, compare: "<=", target: 40 },
			],
			figures,
		};
	},
};

async function settled(pid: number): Promise<number> {
	const samples: number[] = [];
	for (let n = 0; n < 5; n++) {
		await pause(restMs / 5);
		samples.push(memoryBytes(pid));
	}
	return median(samples);
}

/** The first start strips and compiles every file; each start after one that has ended in order finds them in the cache. */
async function atRest(): Promise<{ first: number; again: number }> {
	const dataDir = mkdtempSync(join(tmpdir(), "atelier-bench-"));
	async function oneStart(): Promise<number> {
		await using opened = await wholePlatform({ dataDir });
		await pause(restMs);
		const bytes = await settled(opened.pid);
		await opened.platform.stop();
		return bytes;
	}
	try {
		return { first: await oneStart(), again: await oneStart() };
	} finally {
		rmSync(dataDir, { recursive: true });
	}
}

/** Both platforms have answered a list before, so that everything loaded on demand is loaded. */
async function perSession(): Promise<number> {
	async function memoryWith(count: number): Promise<number> {
		await using opened = await filledPlatform(count);
		await fetch(`${opened.platform.prefix}/sessions?limit=50`);
		return await settled(opened.pid);
	}
	const [none, all] = [await memoryWith(1), await memoryWith(sessions)];
	return Math.max(0, all - none) / sessions;
}

async function perClient(): Promise<number> {
	await using opened = await platformWithoutPods();
	const { platform, pid } = opened;
	await fetch(`${platform.prefix}/sessions/stream`).then((response) => response.body?.cancel());
	const before = await settled(pid);
	const port = Number(new URL(platform.url).port);
	const order = { port, path: "/api/v1/svc/sessions/stream", clients, measuring: 0 };
	await using crowd = await Program.start<object>("./sse-sink.ts", order);
	for (;;) {
		const report = crowd.next<SinkReport>();
		crowd.send({});
		if ((await report).open === clients) break;
		await pause(50);
	}
	return Math.max(0, (await settled(pid)) - before) / clients;
}
