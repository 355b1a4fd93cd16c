/**
 * Compares the processor time of a read and of writes between source trees, which run beside each other and are loaded in turn:
 * `node bench/sessions/compare-trees.ts [--rounds 9] [--requests 2000] <tree> <tree>...`; each figure is against the first tree.
 */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startPlatform } from "../../test/support/platform/start-platform.ts";
import { interleaved, median } from "../rounds.ts";
import { sessionLoads, type SessionLoads } from "./session-loads.ts";

/** The program of the platform, and its former names. */
const programs = ["host/main.js", "host/start.ts"];
/** The platform with this program had no such limits. */
const oldest = "services/start.ts";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { rounds: { type: "string", default: "9" }, requests: { type: "string", default: "2000" } },
});
const kinds = ["get", "put", "create", "usage"] as const;
/** Nobody is limited, so that the load is the same; trees from before the folder `host` do not know the key. */
const limits = { requests_per_second: 0, in_flight_per_user: 0, in_flight_per_tenant: 0 };

await using platforms = new AsyncDisposableStack();
const loads: SessionLoads[] = [];
for (const tree of positionals) loads.push(await loadsOn(resolve(tree)));
for (const kind of kinds) {
	const subjects = Object.fromEntries(loads.map((load, at) => [String(at), load[kind]]));
	const samples = await interleaved(subjects, Number(values.rounds));
	const costs = positionals.map((_, at) => (samples[String(at)] ?? []).map((one) => one.cpuMicrosPerRequest));
	for (const [at, own] of costs.entries()) {
		const ratios = own.map((micros, round) => micros / (costs[0]?.[round] ?? Number.NaN)).toSorted((a, b) => a - b);
		const spread = `${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`;
		console.log(`${kind}\t${median(own).toFixed(0)} us\t${median(ratios).toFixed(2)} (${spread})\t${positionals[at]}`);
	}
}

/** Starts the services of a tree, without those that start pods, and makes the loads on it. */
async function loadsOn(root: string): Promise<SessionLoads> {
	const services = readdirSync(join(root, "services"), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && entry.name !== "pod-manager" && entry.name !== "models")
		.map(({ name }) => name);
	const entry = programs.find((program) => existsSync(join(root, program))) ?? oldest;
	const options = entry === oldest ? { entry } : { entry, config: { limits } };
	const platform = platforms.use(
		await startPlatform({ root, ...options, processes: [services], readyAt: "/api/v1/svc/sessions" }),
	);
	const pid = platform.processes[0]?.pid ?? 0;
	return sessionLoads(
		{ platform, pid, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() },
		{ seconds: 60, amount: Number(values.requests) },
	);
}
