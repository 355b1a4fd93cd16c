/** A cluster under a mixed load, faults of the matrix at random moments, and the checks afterwards. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import { patience } from "../../support/machine/patience.ts";
import { addClients, clientLoad, loadFigures } from "../clients/client-load.ts";
import { Random } from "../random.ts";
import { type Findings, isBroken } from "../testbed.ts";
import { openTestbed, startFaultCluster } from "./fault-cluster.ts";
import { Gateways } from "./gateways.ts";
import { networkFaults } from "./network-faults.ts";
import { powerFaults } from "./power-faults.ts";
import { processFaults } from "./process-faults.ts";
import { busFaults, storeFaults } from "./server-faults.ts";
import type { ClusterFault, Stage } from "./stage.ts";

export interface ClusterRunOptions {
	readonly seed: number;
	/** The number of faults. */
	readonly faults: number;
	/** The time after which no further fault begins, in minutes; default: no bound. */
	readonly minutes?: number;
	/** The kinds of faults, in their order, instead of random ones. */
	readonly only?: readonly string[];
	/** The factor for the length of faults; default 1. */
	readonly scale?: number;
	/** The number of sessions, by default 8. */
	readonly sessions?: number;
	/** Whether there is only one pod manager, and one server of the store. */
	readonly isSmall?: boolean;
	/** Takes the folder with the output of all processes when something does not hold; the folder remains. */
	readonly onOutput?: (folder: string) => void;
	readonly onFault?: (name: string, number: number) => void;
}

export interface ClusterReport extends Findings, ReturnType<typeof loadFigures> {
	readonly seed: number;
	/** The number of faults of each kind. */
	readonly faults: Record<string, number>;
	/** The number of commands that eight clients sent at once, to all gateways. */
	readonly crowds: number;
	/** The time of the slowest restart of a process, in milliseconds. */
	readonly slowestRestartMs: number;
	/** Promises of the platform that a fault itself has contradicted. */
	readonly wrong: readonly string[];
}

/** How long after the last fault everything must be in its final state. */
const settleMs = 30_000;
const clusterFaults: readonly ClusterFault[] = [
	...processFaults,
	...busFaults,
	...storeFaults,
	...networkFaults,
	...powerFaults,
];

export async function clusterRun(options: ClusterRunOptions): Promise<ClusterReport> {
	const { seed, sessions = 8, scale = 1 } = options;
	await using cluster = await startFaultCluster(options.isSmall);
	const gateways = new Gateways(cluster);
	await using testbed = await openTestbed(cluster, gateways);
	await addClients(testbed, seed, Array(sessions).fill(""));
	for (const driver of testbed.drivers) driver.crowd = 8;
	const stage = { cluster, testbed, gateways, random: new Random(seed), wrong: [], scale };
	const faults = await underLoad(stage, options);
	const findings = await testbed.judge(settleMs * Math.min(4, patience()));
	if (isBroken(findings.invariants) || stage.wrong.length > 0) keepOutput(cluster, options.onOutput);
	return {
		seed,
		...findings,
		...loadFigures(testbed),
		faults: Object.fromEntries(Object.entries(faults).toSorted(([a], [b]) => a.localeCompare(b))),
		crowds: testbed.drivers.reduce((sum, { crowds }) => sum + crowds, 0),
		slowestRestartMs: testbed.starts.slowestMs,
		wrong: stage.wrong,
	};
}

function keepOutput(cluster: Cluster, onOutput: ClusterRunOptions["onOutput"]): void {
	if (!onOutput) return;
	const folder = mkdtempSync(join(tmpdir(), "atelier-cluster-output-"));
	for (const { name, output } of cluster.members) writeFileSync(join(folder, `${name}.log`), output);
	onOutput(folder);
}

async function underLoad(stage: Stage, options: ClusterRunOptions): Promise<Record<string, number>> {
	const ending = new AbortController();
	const load = clientLoad(stage.testbed, ending.signal);
	const counts: Record<string, number> = {};
	try {
		await eventually(() => stage.testbed.follower.hasPlace, {
			withinMs: 20_000,
			what: "the stream tells of a session",
		});
		const end = performance.now() + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
		for (let number = 0; number < options.faults && performance.now() < end; ) {
			await sleep(stage.random.between(50, 900));
			const faults = nextFaults(stage.random, options.only?.[number]);
			for (const { name } of faults) {
				counts[name] = (counts[name] ?? 0) + 1;
				number++;
				options.onFault?.(name, number);
			}
			await Promise.all(faults.map((fault) => fault.happen(stage)));
			await workGoesOn(stage, faults);
		}
	} finally {
		ending.abort();
	}
	await load;
	return counts;
}

/** Waits until clients have got something done after a fault, so that the next one does not meet an idle platform. */
async function workGoesOn({ testbed, wrong }: Stage, faults: readonly ClusterFault[]): Promise<void> {
	const done = () => testbed.drivers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
	const before = done();
	const goesOn = await eventually(() => done() > before + 2, { withinMs: settleMs }).catch(() => false);
	if (!goesOn) wrong.push(`no work for ${settleMs} ms after: ${faults.map(({ name }) => name).join(", ")}`);
}

/** Returns one fault, or, in one case of four, two at once that hit different things. */
function nextFaults(random: Random, only: string | undefined): ClusterFault[] {
	if (only !== undefined) return [faultCalled(only)];
	const first = random.pick(clusterFaults);
	const others = clusterFaults.filter(({ hits }) => hits !== first.hits && hits !== "everything");
	return random.next() < 0.25 && first.hits !== "everything" ? [first, random.pick(others)] : [first];
}

function faultCalled(wanted: string): ClusterFault {
	const fault = clusterFaults.find(({ name }) => name === wanted);
	if (!fault) throw new RangeError(`There is no fault "${wanted}"`);
	return fault;
}
