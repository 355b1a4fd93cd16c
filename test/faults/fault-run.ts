/** One fault run: sessions under a mixed load, faults at random moments, and what holds afterwards. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallationKey } from "#shared/keys.ts";
import type { ApiClient } from "../support/api-client.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import type { SessionView } from "../support/session-steps.ts";
import { startStallingRepository } from "../support/stalling-repository.ts";
import { startPlatform, type TestPlatform } from "../support/start-platform.ts";
import { Faults } from "./faults.ts";
import { invariants, unsettled, type World } from "./invariants.ts";
import { Random } from "./random.ts";
import { SessionDriver } from "./session-driver.ts";
import { StreamFollower } from "./stream-follower.ts";
import { TwinWatch } from "./twin-watch.ts";

export interface FaultRunOptions {
	readonly seed: number;
	/** Kills of the platform before the last one. */
	readonly kills: number;
	/** Default 12; the last two have a git server that is slow, and one that is dead. */
	readonly sessions?: number;
	/** How long after the last restart everything must be where it should; default 15 s. */
	readonly settleMs?: number;
	/** Sources to run the platform from, for controls. */
	readonly root?: string;
}

export interface FaultReport {
	readonly seed: number;
	readonly faults: Record<string, number>;
	/** What is wrong, by invariant. */
	readonly invariants: Record<string, string[]>;
	readonly acknowledged: number;
	readonly events: number;
	readonly reconnects: number;
	/** Milliseconds from the last restart until every session was where it should be; Infinity: never. */
	readonly settledMs: number;
}

/** As long as a lease that died with the platform. */
const usualSettleMs = 15_000;
/** A pass, and the removal of what a deleted session had. */
const graceMs = 3_000;

export async function faultRun({
	seed,
	kills,
	sessions = 12,
	settleMs = usualSettleMs,
	root,
}: FaultRunOptions): Promise<FaultReport> {
	const folder = mkdtempSync(join(tmpdir(), "atelier-faults-"));
	try {
		await using repository = await startStallingRepository(join(folder, "repository"));
		await using platform = await startPlatform(root === undefined ? {} : { root });
		const dead = `http://127.0.0.1:${await freePort()}/repository.git`;
		const api = platform.client();
		const drivers = Array.from({ length: sessions }, (_, n) => {
			const repo = n === sessions - 1 ? dead : n === sessions - 2 ? repository.url : "";
			return new SessionDriver(api, new Random(seed * 1_000 + n), `session-${n}`, repo);
		});
		const faults = new Faults(platform, new Random(seed));
		const follower = new StreamFollower(`${platform.prefix}/sessions/stream`);
		const twins = new TwinWatch(() => platform.sessionProcesses());
		try {
			await underLoad(drivers, faults, kills, () => repository.release());
			const settledMs = await settled(() => sessionsOf(api), drivers, faults, settleMs);
			const ground = { platform, drivers, faults, follower, twins };
			const world = await look(ground, Math.max(graceMs, settleMs + graceMs - settledMs));
			return { seed, settledMs, ...report(world, faults, follower) };
		} finally {
			twins.stop();
			await follower.stop();
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function underLoad(drivers: readonly SessionDriver[], faults: Faults, kills: number, release: () => void) {
	const ending = new AbortController();
	const load = Promise.all(drivers.map((driver) => driver.run(ending.signal)));
	// Heard of when it is waited for.
	load.catch(() => {});
	try {
		while (faults.kills < kills) {
			await faults.next();
			if (faults.kills > kills / 2) release();
		}
	} finally {
		ending.abort();
		release();
	}
	// The last kill comes while the last commands are under way.
	await faults.lastKill();
	await load;
}

/** Milliseconds until every session was where it should be. */
async function settled(
	list: () => Promise<World["sessions"]>,
	drivers: readonly SessionDriver[],
	{ killedAgents }: Faults,
	withinMs: number,
): Promise<number> {
	const since = performance.now();
	const isSettled = async () => unsettled({ drivers, killedAgents, sessions: await list() }).length === 0;
	const done = await eventually(isSettled, { withinMs, everyMs: 100 }).catch(() => false);
	return done ? Math.round(performance.now() - since) : Number.POSITIVE_INFINITY;
}

async function sessionsOf(api: ApiClient): Promise<World["sessions"]> {
	const query = { include_archived: true };
	const { body } = await api.get<(SessionView & { rev: number })[]>("/sessions", { query });
	return new Map(body.map((session) => [session.id, session]));
}

interface Ground {
	platform: TestPlatform;
	drivers: readonly SessionDriver[];
	faults: Faults;
	follower: StreamFollower;
	twins: TwinWatch;
}

/** The world once everything holds, or when the time is over. */
async function look(ground: Ground, withinMs: number): Promise<World> {
	const calm = async () => {
		const world = await observe(ground);
		return Object.values(invariants).every((check) => check(world).length === 0) && world;
	};
	return eventually(calm, { withinMs, everyMs: 200 }).catch(() => observe(ground));
}

async function observe({ platform, drivers, faults, follower, twins }: Ground): Promise<World> {
	const api = platform.client();
	const sessions = await sessionsOf(api);
	const processes = platform.sessionProcesses();
	const conversations = new Map<string, string>();
	for (const { id, status } of sessions.values())
		if (status === "running") conversations.set(id, (await api.get(`/sessions/${id}/conversation`)).text);
	const key = openInstallationKey(platform.dataDir, "");
	const launches = [...sessions.values()].map(({ id, generation }) => [id, generation] as const);
	return {
		drivers,
		sessions,
		processes,
		conversations,
		killedAgents: faults.killedAgents,
		machine: platform.machineState(),
		told: new Map(follower.told),
		readable: [
			platform.output,
			JSON.stringify([...sessions.values()]),
			...processes.map(({ pid }) => argumentsOf(pid)),
		].join("\n"),
		secrets: launches.flatMap(([id, generation]) => [key.podToken(id, generation), key.platformKey(id, generation)]),
		streamWrong: [...follower.wrong],
		twins: [...twins.wrong],
		restartsMs: faults.restartsMs,
	};
}

function argumentsOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8");
	} catch {
		return "";
	}
}

function report(world: World, faults: Faults, follower: StreamFollower): Omit<FaultReport, "seed" | "settledMs"> {
	return {
		faults: Object.fromEntries([...faults.counts].toSorted(([a], [b]) => a.localeCompare(b))),
		invariants: Object.fromEntries(Object.entries(invariants).map(([name, check]) => [name, check(world)])),
		acknowledged: world.drivers.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
		events: follower.events,
		reconnects: follower.reconnects,
	};
}
