/**
 * `npm run bench:cluster [-- --sessions 1000 --steady 5000 --managers 2 --record]` measures the runtime for clusters on a real control plane
 * with simulated machines and session agents (docs/scale.md). It ends by itself after at most 40 minutes.
 */
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readCommandLine } from "#shared/config/command-line.ts";
import { eventually } from "../../test/support/eventually.ts";
import { kwokMachines } from "../../test/support/kubernetes/simulated/kwok-machines.ts";
import { sessionsNamespace as namespace } from "../../test/support/kubernetes/simulated/simulated-cluster.ts";
import { SimulatedPlatform } from "../../test/support/kubernetes/simulated/simulated-platform.ts";
import type { SessionView } from "../../test/support/platform/session-steps.ts";
import { cpuMicros, memoryBytes } from "../process-cost.ts";
import { quantile } from "../rounds.ts";
import { allCalls, ApiCalls, type CallCounts, callsPerSession, writes } from "./api-calls.ts";
import { BusCalls } from "./bus-calls.ts";

const { values } = readCommandLine({
	usage: "npm run bench:cluster [-- --sessions <n> --steady <n> --managers <n>]",
	summary: "Measures the runtime for clusters on simulated machines (docs/scale.md).",
	operands: { help: {}, most: 0 },
	options: {
		sessions: { type: "string", default: "1000", value: "n", isNumber: true, help: "the sessions that start at once" },
		steady: { type: "string", default: "5000", value: "n", isNumber: true, help: "the sessions that run in the end" },
		managers: { type: "string", default: "2", value: "n", isNumber: true, help: "the pod managers" },
		kwok: { type: "boolean", default: false, help: "uses machines of KWOK, with a scheduler and controllers" },
		seconds: { type: "string", default: "180", value: "n", isNumber: true, help: "how long the rest is measured" },
	},
});
const [atOnce, steady, podManagers] = [Number(values.sessions), Number(values.steady), Number(values.managers)];
const seconds = Number(values.seconds);
const people = 100;
const limitMs = 2_400_000;

await using bench = await SimulatedPlatform.start({
	podManagers,
	people,
	cluster: { compaction: "5m", ...(values.kwok && { machines: kwokMachines(Math.ceil((steady * 1.1) / 300) + 1) }) },
});
/** Ends everything that was started, whatever is still awaited. */
async function giveUp(why: string): Promise<void> {
	console.log(why);
	await bench[Symbol.asyncDispose]();
	process.exit(1);
}
setTimeout(() => void giveUp("The time is over"), limitMs).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void giveUp(`Ended by ${signal}`));
const { cluster, core, managers } = bench;
let passesBefore = 0;
const calls = new ApiCalls(cluster.server.auditLog);
const busCalls = new BusCalls(core.opsUrl);
const ids: { id: string; person: number; at: number }[] = [];

interface StartedSession extends SessionView {
	readonly status_reason: { code: string; message: string; since: string } | null;
	readonly created_at: string;
	readonly timings: { readonly claimed?: string; readonly spawned?: string };
}

async function create(person: number): Promise<void> {
	const at = Date.now();
	const body = { name: "simulated", source: { type: "git", repo: "" } };
	const answer = await bench.clientOf(person).post<SessionView>("/sessions", body);
	if (answer.status !== 201) throw new Error(`No session was created: ${answer.status} ${answer.text}`);
	ids.push({ id: answer.body.id, person, at });
}

/** Runs the work for each number, so many at a time. */
async function each(count: number, atATime: number, work: (n: number) => Promise<void>): Promise<void> {
	let next = 0;
	const one = async () => {
		while (next < count) await work(next++);
	};
	await Promise.all(Array.from({ length: atATime }, one));
}

/**
 * Resolves when each of the sessions has one of the statuses. The sessions are read and not the metric of their statuses, which is counted
 * once a minute only; few of them are read at a time, so that the waiting is no load that is measured.
 */
async function untilAll(some: typeof ids, wanted: readonly string[], withinMs: number): Promise<void> {
	const until = performance.now() + withinMs;
	await each(some.length, 4, async (n) => {
		const { id, person } = some[n]!;
		const isThere = async () => {
			const { body } = await bench.clientOf(person).get<StartedSession>(`/sessions/${id}`);
			return wanted.includes(body.status);
		};
		const what = `session ${id} is ${wanted.join(" or ")}`;
		await eventually(isThere, { withinMs: Math.max(0, until - performance.now()), everyMs: 250, what });
	});
}

function untilRunning(some: typeof ids): Promise<void> {
	return untilAll(some, ["running", "failed"], 1_200_000);
}

function spread(all: readonly number[]): string {
	const [half, most, last] = [0.5, 0.99, 1].map((share) =>
		Math.round(all.length === 0 ? Number.NaN : quantile(all, share)),
	);
	return `p50 ${half} ms · p99 ${most} ms · longest ${last} ms (${all.length})`;
}

/** Returns the times to a status that sessions have reached, in milliseconds. */
async function timesOf(some: typeof ids, to: (session: StartedSession) => string | undefined): Promise<number[]> {
	const times: number[] = [];
	const others = new Map<string, number>();
	await each(some.length, 16, async (n) => {
		const { id, person, at } = some[n]!;
		const { body } = await bench.clientOf(person).get<StartedSession>(`/sessions/${id}`);
		const reached = to(body);
		if (reached === undefined) {
			const code = `${body.status} ${body.status_reason?.code}`;
			others.set(code, (others.get(code) ?? 0) + 1);
		} else times.push(Date.parse(reached) - at);
	});
	for (const [code, count] of others) console.log(`    ${count} sessions are ${code}`);
	return times;
}

const whenRunning = ({ status, status_reason }: StartedSession) =>
	status === "running" ? status_reason?.since : undefined;

/** Tells the times from the creation of sessions to the steps of their launches: the agent asks for its launch, and then begins. */
async function saySteps(what: string, some: typeof ids): Promise<void> {
	say(`${what}, created → claimed: ${spread(await timesOf(some, ({ timings }) => timings.claimed))}`);
	say(`${what}, created → agent begins: ${spread(await timesOf(some, ({ timings }) => timings.spawned))}`);
	say(`${what}, created → running: ${spread(await timesOf(some, whenRunning))}`);
}

interface Cost {
	readonly at: number;
	readonly micros: number[];
}

function costNow(): Cost {
	return { at: performance.now(), micros: managers.map(({ process: { pid } }) => cpuMicros(pid)) };
}

function say(line: string): void {
	console.log(`${line}   [load ${loadavg()[0]?.toFixed(1)}]`);
}

function saySpent(what: string, before: Cost, count?: number): void {
	const after = costNow();
	const seconds = (after.at - before.at) / 1_000;
	const used = after.micros.map((micros, n) => (micros - (before.micros[n] ?? 0)) / 1e6);
	const each =
		count === undefined
			? ""
			: ` · ${((1_000 * used.reduce((sum, one) => sum + one, 0)) / count).toFixed(1)} ms a session`;
	const cores = used.map((one) => (one / seconds).toFixed(3)).join(", ");
	const memory = managers.map(({ process: { pid } }) => Math.round(memoryBytes(pid) / 1e6)).join(", ");
	say(`${what}: ${seconds.toFixed(1)} s · pod managers: ${cores} processors, ${memory} MB resident${each}`);
}

/** Returns the passes of the pod managers since the last time. A process that was started again begins anew. */
async function takePasses(): Promise<number> {
	const counts = managers.map(async ({ opsUrl }) => {
		const text = await (await fetch(`${opsUrl}/metrics`)).text();
		return Number(/^atelier_passes_total\{outcome="done"\} (\d+)$/m.exec(text)?.[1] ?? 0);
	});
	const all = (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
	const made = Math.max(0, all - passesBefore);
	passesBefore = all;
	return made;
}

async function sayCalls(what: string, count: number): Promise<void> {
	await sleep(2_000);
	const made = calls.take();
	const passes = ((await takePasses()) / count).toFixed(2);
	say(
		`${what}: ${(allCalls(made) / count).toFixed(2)} calls, ${(writes(made) / count).toFixed(2)} writes, ${passes} passes a session`,
	);
	console.log(`    ${callsPerSession(made, count)}`);
}

/** Returns so many of the sessions that run. */
async function runningOf(some: typeof ids, count: number): Promise<typeof ids> {
	const found: typeof ids = [];
	for (const one of some) {
		const { body } = await bench.clientOf(one.person).get<StartedSession>(`/sessions/${one.id}`);
		if (body.status === "running" && found.push(one) === count) break;
	}
	return found;
}

/** Lets the pods of sessions fail one after the other, as a machine would say it, and tells how long the sessions take to show it. */
async function failPods(when: string, some: typeof ids): Promise<void> {
	const lost: typeof ids = [];
	for (const one of await runningOf(some, few)) {
		lost.push({ ...one, at: Date.now() });
		const containerStatuses = [{ name: "session", state: { terminated: { exitCode: 137, reason: "Error" } } }];
		await cluster.admin.patch(
			{ version: "v1", plural: "pods", namespace },
			`session-${one.id}-g1`,
			{ status: { phase: "Failed", containerStatuses } },
			{ part: "status" },
		);
		await sleep(50);
	}
	await untilAll(lost, ["failed"], 60_000);
	const failures = await timesOf(lost, ({ status, status_reason }) =>
		status === "failed" ? status_reason?.since : undefined,
	);
	say(`${when}, pod failed → session failed: ${spread(failures)}`);
	await sayCalls(`${when}, failures`, lost.length);
}

function share(micros: number): string {
	return (micros / (seconds * 1e6)).toFixed(3);
}

function sayRate(what: string, made: CallCounts): void {
	say(`${ids.length} steady: ${(allCalls(made) / seconds).toFixed(2)} ${what} a second`);
	console.log(`    ${callsPerSession(made, seconds)} a second`);
}

say("Everything is simulated but the control plane, the platform and its bus");
const few = Math.min(100, atOnce);
await sleep(3_000);
calls.take();

let before = costNow();
await Promise.all(
	Array.from({ length: few }, async (_, n) => {
		await sleep(n * 100);
		await create(n);
	}),
);
await untilRunning(ids);
await saySteps("10 a second", ids);
saySpent("10 a second", before, few);
await sayCalls("10 a second", few);

before = costNow();
const burst = performance.now();
await each(atOnce, 64, (n) => create(n));
say(`${atOnce} at once: created within ${((performance.now() - burst) / 1_000).toFixed(1)} s`);
await untilRunning(ids.slice(few));
saySpent(`${atOnce} at once, all running`, before, atOnce);
await saySteps(`${atOnce} at once`, ids.slice(few));
await sayCalls(`${atOnce} at once`, atOnce);

if (steady > ids.length) {
	before = costNow();
	const more = steady - ids.length;
	await each(more, 64, (n) => create(n));
	await untilRunning(ids.slice(-more));
	saySpent(`${more} more`, before, more);
	await sayCalls(`${more} more`, more);
}

await sleep(20_000);
calls.take();
await busCalls.take();
before = costNow();
const coreMicros = cpuMicros(core.process.pid);
await sleep(seconds * 1_000);
saySpent(`${ids.length} steady`, before);
say(
	`${ids.length} steady, everything else of the platform: ${share(cpuMicros(core.process.pid) - coreMicros)} processors`,
);
sayRate("calls of the API", calls.take());
sayRate("calls of the bus", await busCalls.take());

await failPods("at rest", ids);

const [last] = managers.slice(-1);
if (last) {
	await last.kill();
	const since = performance.now();
	await last.start();
	const ready = performance.now() - since;
	const looked = async () => {
		const text = await (await fetch(`${last.opsUrl}/metrics`)).text();
		return Number(/^atelier_pods\{state="ready"\} (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
	};
	await eventually(looked, { withinMs: 120_000, everyMs: 50, what: "the new pod manager has looked at all pods" });
	say(
		`restart: ready after ${(ready / 1_000).toFixed(1)} s, first full look after ${((performance.now() - since) / 1_000).toFixed(1)} s`,
	);
	await sayCalls("restart", 1);
}

await failPods("after the restart", ids);

const deleted = ids.slice(2 * few, 2 * few + atOnce);
before = costNow();
await each(deleted.length, 32, async (n) => {
	const { id, person } = deleted[n]!;
	const { status, text } = await bench.clientOf(person).delete(`/sessions/${id}`);
	if (status !== 204) throw new Error(`DELETE: ${status} ${text}`);
});
const names = new Set(deleted.map(({ id }) => `session-${id}-g1`));
await eventually(async () => !(await cluster.sessionObjects())["pods"]?.some((name) => names.has(name)), {
	withinMs: 600_000,
	everyMs: 1_000,
	what: "their pods are gone",
});
saySpent(`${deleted.length} deleted`, before, deleted.length);
await sayCalls(`${deleted.length} deleted`, deleted.length);
console.log("Simulated: no container has run");
