/** The faults of a run: each affects a real platform, and is over when its function resolves. */
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import type { SmallDisk } from "../support/hostile/small-disk.ts";
import type { TestPlatform } from "../support/platform/start-platform.ts";
import type { FailpointTour } from "./failpoint-tour.ts";
import type { Testbed } from "./testbed.ts";
import { patience } from "../support/machine/patience.ts";
import type { Random } from "./random.ts";

/** The clock may go back an hour, but forward only by less than any time limit. */
const clockJumpsMs = [-3_600_000, -30_000, 5_000, 20_000];

/** How long a start may take to reach a failpoint; a failpoint that is not passed by then may be passed later. */
const failpointMs = 3_000;
const startMs = 20_000;
/** Space that others free on a full disk is filled too. */
const refillMs = 50;

export interface FaultsOptions {
	readonly random: Random;
	readonly tour: FailpointTour;
	/** The disk with the data folder; undefined if nothing may be mounted. */
	readonly disk: SmallDisk | undefined;
}

export class Faults {
	readonly #testbed: Testbed;
	readonly #platform: TestPlatform;
	readonly #random: Random;
	readonly #disk: SmallDisk | undefined;
	readonly tour: FailpointTour;
	#offsetMs = 0;
	/** The number of faults of each kind. */
	readonly counts = new Map<string, number>();
	/** The kinds that are impossible on this machine. */
	readonly leftOut: readonly string[];
	kills = 0;

	constructor(testbed: Testbed, { random, tour, disk }: FaultsOptions) {
		this.#testbed = testbed;
		this.#platform = testbed.platform;
		this.#random = random;
		this.#disk = disk;
		this.tour = tour;
		this.leftOut = disk ? [] : ["disk full", "data folder read-only"];
	}

	/** Causes one fault after a random time. */
	async next(): Promise<void> {
		await sleep(this.#random.between(50, 900));
		const kinds = [
			() => this.#killPlatform(),
			() => this.#killPlatform(),
			() => this.#killAtFailpoint(),
			() => this.#turnClock(),
			() => this.#freezePlatform(),
			() => this.#killAgent(),
			() => this.#freezeAgent(),
			() => this.#fillDisk(),
			() => this.#forbidWriting(),
		];
		await this.#random.pick(kinds)();
	}

	/**
	 * Kills at failpoints until there was a kill at each that no other test kills at, and tries each other one once.
	 * @param tries The number of tries for each that is due.
	 */
	async visitAll(tries: number): Promise<void> {
		for (let left = tries * this.tour.due.length; left > 0 && this.tour.due.length > 0; left--)
			await this.#killAtFailpoint();
		for (let left = this.tour.missing.length; left > 0; left--) await this.#killAtFailpoint();
	}

	/** Makes the last restart, without anything that could stop it. */
	async lastKill(): Promise<void> {
		this.#count("kill -9 of the platform, the last one");
		await this.#platform.kill();
		await this.#start();
	}

	async #killPlatform(): Promise<void> {
		this.#count("kill -9 of the platform");
		this.kills++;
		await this.#platform.kill();
		await this.#start();
	}

	async #killAtFailpoint(): Promise<void> {
		const point = this.tour.next();
		this.kills++;
		await this.#platform.kill();
		this.#launch({ ATELIER_FAILPOINTS: `${point}=kill` });
		const passed = await this.#endsSoon();
		if (passed) this.tour.visited(point);
		this.#count(passed ? "killed at a failpoint" : "killed after a failpoint that nobody passed");
		await this.#platform.kill();
		await this.#start();
	}

	/** Whether the platform dies at its start or a little later. */
	async #endsSoon(): Promise<boolean> {
		const [process] = this.#platform.processes;
		const isUp = async () => process?.hasEnded || (await fetch(`${this.#platform.url}/ready`)).status === 200;
		await eventually(isUp, { withinMs: startMs }).catch(() => {});
		return eventually(() => process?.hasEnded, { withinMs: failpointMs }).catch(() => false);
	}

	async #turnClock(): Promise<void> {
		this.#count("clock jump at a restart");
		this.kills++;
		await this.#platform.kill();
		this.#offsetMs += this.#random.pick(clockJumpsMs);
		await this.#start();
	}

	async #freezePlatform(): Promise<void> {
		this.#count("platform frozen");
		const [process] = this.#platform.processes;
		await frozen((name) => process?.signal(name), this.#random.between(100, 2_500));
	}

	async #killAgent(): Promise<void> {
		const agent = this.#someAgent();
		if (!agent) return;
		this.#count("kill -9 of a session agent");
		this.#testbed.killedAgents.add(`${agent.session}-g${agent.generation}`);
		signal(agent.pid, "SIGKILL");
	}

	async #freezeAgent(): Promise<void> {
		const agent = this.#someAgent();
		const ms = this.#random.between(100, 2_000);
		if (!agent) return;
		this.#count("session agent frozen");
		await frozen((name) => signal(agent.pid, name), ms);
	}

	async #fillDisk(): Promise<void> {
		const disk = this.#disk;
		if (!disk) return;
		this.#count("disk full");
		try {
			const end = performance.now() + this.#random.between(500, 2_500);
			for (; performance.now() < end; await sleep(refillMs)) disk.fill();
		} finally {
			disk.empty();
		}
	}

	async #forbidWriting(): Promise<void> {
		const disk = this.#disk;
		if (!disk) return;
		this.#count("data folder read-only");
		disk.makeReadOnly();
		try {
			await sleep(this.#random.between(500, 2_500));
		} finally {
			disk.makeWritable();
		}
	}

	#someAgent() {
		// The number is drawn in any case, so that the seed's later faults do not depend on it.
		const place = this.#random.next();
		const agents = this.#platform.sessionProcesses().filter(({ isAgent }) => isAgent);
		return agents[Math.floor(place * agents.length)];
	}

	#launch(env: Record<string, string> = {}): void {
		// The output of the earlier process is included.
		this.#testbed.overheard.hear(this.#platform.output);
		const clock = { ATELIER_CLOCK_OFFSET_MS: String(this.#offsetMs) };
		this.#platform.processes = [this.#platform.startProcess([], { ...clock, ...env })];
	}

	async #start(): Promise<void> {
		const since = performance.now();
		this.#launch();
		await this.#platform.ready(startMs * patience());
		this.#testbed.starts.note(performance.now() - since);
	}

	#count(kind: string): void {
		this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
	}
}

async function frozen(send: (name: NodeJS.Signals) => void, ms: number): Promise<void> {
	send("SIGSTOP");
	await sleep(ms);
	send("SIGCONT");
}

/** A signal has no effect on a process that has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
	}
}
