/** One fault run: sessions under a mixed load, faults at random moments, and the checks afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/machine/free-port.ts";
import { SmallDisk } from "../support/hostile/small-disk.ts";
import { type StallingRepository, startStallingRepository } from "../support/repositories/stalling-repository.ts";
import { startPlatform, type TestPlatform } from "../support/platform/start-platform.ts";
import { addClients, clientLoad, loadFigures } from "./clients/client-load.ts";
import { FailpointTour } from "./failpoint-tour.ts";
import { Faults } from "./faults.ts";
import { canaryEnvironment, type Findings, Testbed } from "./testbed.ts";
import { failpointsOfTests, namedFailpoints } from "./named-failpoints.ts";
import { patience } from "../support/machine/patience.ts";
import { Random } from "./random.ts";

export interface FaultRunOptions {
	readonly seed: number;
	/** The number of kills of the platform before the last one. */
	readonly kills: number;
	/** The number of sessions, by default 12. The last two have a slow git server and a dead one. */
	readonly sessions?: number;
	/** How long after the last restart everything must be in its final state; by default 15 s. */
	readonly settleMs?: number;
	/**
	 * Whether the run goes on after the kills until the platform has died at every failpoint without a test of its own, or could
	 * not be made to.
	 */
	readonly everyFailpoint?: boolean;
	/** The sources of the platform, for controls. */
	readonly root?: string | undefined;
}

export interface FaultReport extends Findings {
	readonly seed: number;
	readonly faults: Record<string, number>;
	/** The number of kills at each failpoint. */
	readonly failpoints: Record<string, number>;
	/** The failpoints without a kill that no other test kills at either. */
	readonly neverVisited: readonly string[];
	/** The faults that could not be tried on this machine. */
	readonly leftOut: readonly string[];
	readonly acknowledged: number;
	readonly archived: number;
	/** The client of usage, chronicles, timeline and reservations. */
	readonly bookings: number;
	readonly events: number;
	readonly reconnects: number;
	/** The longest time of a session in a passing status, in milliseconds. */
	readonly longestPassingMs: number;
	/** The time of the slowest answer, in milliseconds. */
	readonly slowestAnswerMs: number;
}

/** The time of a lease that died with the platform. */
const usualSettleMs = 15_000;
/** The size of the data folder: a dozen sessions need a fifth of it. */
const diskMegabytes = 192;
/** The number of tries for each failpoint without a kill. */
const extraTries = 4;

export async function faultRun(options: FaultRunOptions): Promise<FaultReport> {
	const { seed, root, settleMs = usualSettleMs } = options;
	const folder = mkdtempSync(join(tmpdir(), "atelier-faults-"));
	using disk = SmallDisk.mount(diskMegabytes);
	try {
		await using repository = await startStallingRepository(join(folder, "repository"));
		await using platform = await startPlatform({
			env: canaryEnvironment,
			...(root !== undefined && { root }),
			...(disk && { dataDir: disk.folder }),
		});
		await using testbed = await testbedFor(platform, options, repository.url);
		const names = namedFailpoints(root);
		const tour = new FailpointTour(names, new Random(seed + 1), failpointsOfTests(names));
		const faults = new Faults(testbed, { random: new Random(seed), tour, disk });
		await underLoad(testbed, faults, options, repository);
		return report(seed, testbed, faults, await testbed.judge(settleMs * patience()));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function testbedFor(platform: TestPlatform, options: FaultRunOptions, slow: string): Promise<Testbed> {
	const { seed, sessions = 12 } = options;
	const dead = `http://127.0.0.1:${await freePort()}/repository.git`;
	const mayWait = ({ name }: { name: string }) => name === `session-${sessions - 2}`;
	const testbed = await Testbed.open(platform, { mayWait });
	const repos = Array.from({ length: sessions }, (_, n) =>
		n === sessions - 1 ? dead : n === sessions - 2 ? slow : "",
	);
	await addClients(testbed, seed, repos);
	return testbed;
}

async function underLoad(
	testbed: Testbed,
	faults: Faults,
	{ kills, everyFailpoint = false }: FaultRunOptions,
	repository: StallingRepository,
): Promise<void> {
	const ending = new AbortController();
	const load = clientLoad(testbed, ending.signal);
	try {
		await eventually(() => testbed.follower.hasPlace, { withinMs: 20_000, what: "the stream tells of a session" });
		while (faults.kills < kills) {
			await faults.next();
			if (faults.kills > kills / 2) repository.release();
		}
		if (everyFailpoint) await faults.visitAll(extraTries);
	} finally {
		ending.abort();
		repository.release();
	}
	// The last kill comes while the last commands are under way.
	await faults.lastKill();
	await load;
}

function report(seed: number, testbed: Testbed, faults: Faults, { invariants, settledMs }: Findings): FaultReport {
	return {
		seed,
		settledMs,
		invariants,
		...loadFigures(testbed),
		faults: Object.fromEntries([...faults.counts].toSorted(([a], [b]) => a.localeCompare(b))),
		failpoints: Object.fromEntries(faults.tour.visits),
		neverVisited: faults.tour.due,
		leftOut: faults.leftOut,
	};
}
