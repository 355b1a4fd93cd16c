/**
 * The power goes off in the middle of the load: every server of the store, the bus, all processes of the platform and,
 * each second time, all session agents get SIGKILL at once. Then everything is started again, and everything that was
 * acknowledged has to be there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../../support/cluster/start-cluster.ts";
import { patience } from "../../support/machine/patience.ts";
import { addClients, clientLoad, loadFigures } from "../clients/client-load.ts";
import { Random } from "../random.ts";
import { isBroken, type Testbed, type Verdict } from "../testbed.ts";
import { openTestbed, startFaultCluster } from "./fault-cluster.ts";
import { Gateways } from "./gateways.ts";
import { killEverything, startEverything } from "./power-faults.ts";

/** One time that the power went off. */
export interface PowerCut {
	/** Whether the session agents died too. */
	readonly withAgents: boolean;
	/** The commands and reports that were acknowledged since the last time. */
	readonly acknowledged: number;
	/** The time from the return of the power until every process was ready, in milliseconds. */
	readonly readyMs: number;
	/** The time from the return of the power until every session had its final state; Infinity when one never had. */
	readonly convergedMs: number;
	/** Everything that does not hold, as sentences. */
	readonly wrong: readonly string[];
}

export interface PowerCutOptions {
	readonly seed: number;
	/** How often the power goes off. */
	readonly cuts: number;
	readonly sessions?: number;
	readonly onCut?: (cut: PowerCut, number: number) => void;
}

export interface PowerCutReport {
	readonly seed: number;
	readonly cuts: readonly PowerCut[];
}

/** The longest time until everything is in its final state again. */
const convergedWithinMs = 30_000;

export async function powerCutRun({ seed, cuts, sessions = 6, onCut }: PowerCutOptions): Promise<PowerCutReport> {
	await using cluster = await startFaultCluster();
	const gateways = new Gateways(cluster);
	await using testbed = await openTestbed(cluster, gateways);
	await addClients(testbed, seed, Array(sessions).fill(""));
	const random = new Random(seed);
	const done: PowerCut[] = [];
	while (done.length < cuts) {
		const cut = await powerCut(cluster, testbed, {
			withAgents: done.length % 2 === 1,
			quietMs: random.between(500, 4_000),
		});
		done.push(cut);
		onCut?.(cut, done.length);
	}
	return { seed, cuts: done };
}

export function isBad({ wrong, convergedMs }: PowerCut, factor = 1): boolean {
	return wrong.length > 0 || convergedMs > convergedWithinMs * factor;
}

interface CutOptions {
	readonly withAgents: boolean;
	/** The time of the load before the cut. */
	readonly quietMs: number;
}

async function powerCut(cluster: Cluster, testbed: Testbed, { withAgents, quietMs }: CutOptions): Promise<PowerCut> {
	const before = doneBy(testbed);
	const ending = new AbortController();
	const load = clientLoad(testbed, ending.signal);
	await sleep(quietMs);
	await killEverything(cluster, testbed, withAgents);
	ending.abort();
	const since = performance.now();
	await startEverything(cluster);
	const readyMs = performance.now() - since;
	// Commands without an answer are sent again until they have one.
	await load;
	const answeredMs = performance.now() - since;
	const { settledMs, invariants } = await testbed.judge(convergedWithinMs * Math.min(4, patience()));
	return {
		withAgents,
		acknowledged: doneBy(testbed) - before,
		readyMs: Math.round(readyMs),
		convergedMs: Math.round(answeredMs + settledMs),
		wrong: isBroken(invariants) ? sentences(invariants) : [],
	};
}

function doneBy(testbed: Testbed): number {
	const { acknowledged, bookings } = loadFigures(testbed);
	return acknowledged + bookings;
}

function sentences(verdict: Verdict): string[] {
	return Object.entries(verdict).flatMap(([name, wrong]) =>
		wrong.map((sentence) => `${name.slice(0, 2)}: ${sentence}`),
	);
}
