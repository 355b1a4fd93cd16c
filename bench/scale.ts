/**
 * `node bench/scale.ts` measures what one event log carries on each store, and simulates how tenants would be spread over
 * several logs. docs/scale.md has its tables.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import {
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
} from "#shared/store/event-log/event-log-collection.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import { defineCollection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { OutboxEntry } from "#shared/store/port/documents.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { logsOn } from "../test/support/stores/logs-on.ts";
import { MongodSet, withoutMongod } from "../test/support/stores/mongod-set.ts";
import { eventText } from "./event-text.ts";

const appended = 10_000;
const batch = 100;
const written = 2_000;
const writers = 20;
const page = 500;

const things = defineCollection("things", { rev: "integer" }, {}, { hasOutbox: true });
const collections = [things, eventLogCollection, eventLogNameCollection, eventLogReaderCollection];

function event(n: number): OutboxEntry {
	return { n, type: "session_updated", data: eventText(), audience: { tenant: "t" }, at: n };
}

/** Returns how many per second, and the microseconds of this process for each. */
async function rate(count: number, work: () => Promise<void>): Promise<string> {
	const cpu = process.cpuUsage();
	const since = performance.now();
	await work();
	const seconds = (performance.now() - since) / 1_000;
	const { user, system } = process.cpuUsage(cpu);
	return `${Math.round(count / seconds)} (${Math.round((user + system) / count)} µs)`;
}

async function measure(name: string, store: DocumentStore): Promise<void> {
	await store.open(collections);
	const log = new EventLog(store);
	const appends = await rate(appended, async () => {
		for (let n = 0; n < appended; n += batch)
			await log.append(Array.from({ length: batch }, (_, k) => ({ key: `bench:${n + k}`, entry: event(n + k) })));
	});
	const reads = await rate(appended, async () => {
		for (let after = 0; after < appended; ) after += (await log.read(after, page)).length;
	});
	const relay = new OutboxRelay(store, logsOn(store, log), [things], (error) => console.error(error));
	const moves = await rate(written, async () => {
		const perWriter = written / writers;
		const writing = Array.from({ length: writers }, async (_, writer) => {
			for (let n = 0; n < perWriter; n++) {
				await store.insert(things, { id: `${writer}-${n}`, wire: "{}", rev: 1 }, [event(1)]);
				relay.wake();
			}
		});
		await Promise.all(writing);
		while ((await log.head()).seq < appended + written) {
			relay.wake();
			await sleep(1);
		}
	});
	await relay.stop();
	await store.close();
	console.log(`| ${name} | ${appends} | ${reads} | ${moves} |`);
}

/** The log of a tenant: the one with the greatest hash, so that a further log takes tenants from all others evenly. */
function logOf(tenant: string, logs: number): number {
	let [best, greatest] = [0, ""];
	for (let log = 0; log < logs; log++) {
		const weight = createHash("sha256").update(`${log}:${tenant}`).digest("hex");
		if (weight > greatest) [best, greatest] = [log, weight];
	}
	return best;
}

/** Simulates tenants of which the largest has as many events as the n-th has n times. */
function simulate(tenants: number, logs: number): void {
	const loads = Array.from({ length: logs }, () => 0);
	let [moved, total] = [0, 0];
	for (let n = 1; n <= tenants; n++) {
		const log = logOf(`tenant-${n}`, logs);
		loads[log] = (loads[log] ?? 0) + 1 / n;
		total += 1 / n;
		if (logOf(`tenant-${n}`, logs + 1) !== log) moved++;
	}
	const fullest = (Math.max(...loads) / (total / logs)).toFixed(2);
	console.log(`| ${tenants} | ${logs} | ${fullest} | ${((100 * moved) / tenants).toFixed(1)} % |`);
}

console.log(`Load of the machine: ${loadavg()[0]?.toFixed(1)}\n`);
console.log("| store | appended/s, 100 at once | read/s | written and moved/s |\n|---|---|---|---|");
const folder = mkdtempSync(join(tmpdir(), "atelier-scale-"));
try {
	await measure("SQLite", new EmbeddedStore({ folder }));
} finally {
	rmSync(folder, { recursive: true });
}
if (withoutMongod === undefined) {
	await using set = await MongodSet.start(1);
	await measure("MongoDB, a set of one", new MongodbStore({ url: set.url }));
} else console.log(withoutMongod);
console.log("\n| tenants | logs | fullest log ÷ mean | tenants that a further log moves |\n|---|---|---|---|");
for (const tenants of [100, 10_000]) for (const logs of [2, 4, 8]) simulate(tenants, logs);
