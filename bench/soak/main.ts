/**
 * `npm run soak [-- --minutes 60 --record]` makes, uses and deletes sessions of the built-in agent at a steady pace, and reads the
 * platform's memory every half minute (docs/benchmarks.md). It ends by itself; the exit code is 0, or 1 when a promise is not kept.
 */
import { setTimeout as pause } from "node:timers/promises";
import { readCommandLine } from "#shared/config/command-line.ts";
import { eventually } from "../../test/support/eventually.ts";
import { ask, runningSession, sessionReaches } from "../../test/support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../test/support/platform/start-platform.ts";
import { recordResult } from "../record.ts";
import { isMet, type Verdict } from "../row.ts";
import { type MemorySample, slope } from "./memory-trend.ts";
import { growth, type StoreSizes, storeSizes } from "./store-sizes.ts";

const sampleMs = 30_000;
const minuteMs = 60_000;
const megabyte = 1e6;
/** Two messages for each session, as people send them. */
const messages = ["$ echo one > one.txt", "echo two"];

const { values } = readCommandLine({
	usage: "npm run soak [-- --minutes <n> --every <ms> --record]",
	summary: "Makes, uses and deletes sessions at a steady pace, and measures memory and store (docs/benchmarks.md).",
	operands: { help: {}, most: 0 },
	options: {
		minutes: { type: "string", default: "60", value: "n", isNumber: true, help: "the duration" },
		every: {
			type: "string",
			default: "2500",
			value: "ms",
			isNumber: true,
			help: "the time from one session to the next",
		},
		record: { type: "boolean", default: false, help: "keeps the figures in bench/results" },
		snapshots: { type: "boolean", default: false, help: "lets SIGUSR1 write a heap snapshot into this folder" },
	},
});

/** The counts so far. */
const done = { deleted: 0, failed: 0 };

/** The whole life of one session. */
async function live(platform: TestPlatform): Promise<void> {
	const api = platform.client();
	try {
		const { id } = await runningSession(api);
		for (const message of messages) await ask(api, id, message);
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		const { status, text } = await api.delete(`/sessions/${id}`);
		if (status !== 204) throw new Error(`DELETE: ${status} ${text}`);
		done.deleted++;
	} catch (error) {
		done.failed++;
		console.log(`A session failed: ${String(error)}`);
	}
}

/** Keeps the event stream open and forgets what comes, as a person's page does. */
async function watch(platform: TestPlatform, signal: AbortSignal): Promise<void> {
	const answer = await fetch(`${platform.prefix}/sessions/stream`, { signal });
	const reading = async () => {
		for await (const chunk of answer.body ?? []) void chunk;
	};
	void reading().catch(() => {});
}

async function sample(platform: TestPlatform, minute: number): Promise<MemorySample> {
	const [process] = platform.processes;
	if (!process) throw new Error("The platform has no process");
	process.output = "";
	process.signal("SIGUSR2");
	const line = await eventually(() => /^\{"soak":(.*)\}$/m.exec(process.output)?.[1], {
		what: "the memory is printed",
	});
	return { minute, ...JSON.parse(line) };
}

function say({ minute, heap, rss, external }: MemorySample): void {
	const [heapMb, rssMb, externalMb] = [heap, rss, external].map((bytes) => (bytes / megabyte).toFixed(1));
	const counts = `${done.deleted} deleted, ${done.failed} failed`;
	console.log(
		`${minute.toFixed(1).padStart(6)} min  heap ${heapMb} MB  rss ${rssMb} MB  external ${externalMb} MB  ${counts}`,
	);
}

/** Makes a session at each interval and samples the memory until the time is over and every session has ended. */
async function soak(platform: TestPlatform): Promise<MemorySample[]> {
	const since = performance.now();
	const elapsed = () => (performance.now() - since) / minuteMs;
	const lives = new Set<Promise<void>>();
	const samples: MemorySample[] = [];
	for (let next = sampleMs / minuteMs; elapsed() < Number(values.minutes); await pause(Number(values.every))) {
		const life = live(platform).finally(() => lives.delete(life));
		lives.add(life);
		if (elapsed() < next) continue;
		next += sampleMs / minuteMs;
		samples.push(await sample(platform, elapsed()));
		say(samples.at(-1)!);
	}
	await Promise.all(lives);
	return samples;
}

function verdictsOf(samples: readonly MemorySample[]): Verdict[] {
	const second = samples.slice(Math.floor(samples.length / 2));
	return (["heap", "rss"] as const).map((member) => ({
		what: `MB a minute of ${member} in the second half`,
		value: slope(second, member) / megabyte,
		compare: "<=",
		target: 0.2,
	}));
}

function figuresOf(samples: readonly MemorySample[], tables: readonly [string, number][]): Record<string, number> {
	const tens = samples.filter(
		({ minute }, index) => index === 0 || Math.floor(minute / 10) > Math.floor(samples[index - 1]!.minute / 10),
	);
	const memory = tens.flatMap(({ minute, heap, rss }) => {
		const at = `at_minute_${Math.round(minute)}`;
		return [
			[`heap_mb_${at}`, heap / megabyte],
			[`rss_mb_${at}`, rss / megabyte],
		];
	});
	const store = tables.slice(0, 8).map(([table, bytes]) => [`store_bytes_per_session_${table}`, bytes]);
	const whole = tables.reduce((sum, [, bytes]) => sum + bytes, 0);
	return Object.fromEntries([
		...memory,
		["store_bytes_per_session", whole],
		...store,
		["deleted", done.deleted],
		["failed", done.failed],
	]);
}

const probe = new URL("memory-probe.ts", import.meta.url).href;
const snapshots = values.snapshots ? ` --heapsnapshot-signal=SIGUSR1 --diagnostic-dir=${process.cwd()}` : "";
await using platform = await startPlatform({ env: { NODE_OPTIONS: `--import=${probe}${snapshots}` } });
await platform.stop();
const before: StoreSizes = storeSizes(platform.dataDir);
await platform.start();
console.log(`The platform is process ${platform.processes[0]?.pid}`);
const ended = new AbortController();
await watch(platform, ended.signal);
const samples = await soak(platform);
ended.abort();
await platform.stop();
const figures = figuresOf(samples, growth(before, storeSizes(platform.dataDir), Math.max(1, done.deleted)));
const verdicts = verdictsOf(samples);
for (const [name, value] of Object.entries(figures)) console.log(`${name} ${Number(value.toPrecision(4))}`);
for (const verdict of verdicts)
	console.log(
		`${isMet(verdict) ? "met   " : "MISSED"} ${verdict.value.toPrecision(3)} ${verdict.compare} ${verdict.target}  ${verdict.what}`,
	);
const title = "Memory and store while sessions are made, used and deleted";
if (values.record)
	recordResult({ id: "soak", title, measure: async () => ({ verdicts, figures }) }, { verdicts, figures });
process.exitCode = verdicts.every(isMet) && done.failed === 0 ? 0 : 1;
