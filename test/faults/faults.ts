/** The faults of a run: each happens to a real platform, and is over when its function resolves. */
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import type { TestPlatform } from "../support/start-platform.ts";
import type { Random } from "./random.ts";

export const failpoints = [
	"pod-manager.claimed",
	"pod-manager.before-create",
	"pod-manager.after-create",
	"pod-manager.before-observe",
	"local-process.before-spawn",
	"local-process.spawned",
	"sessions.observed",
	"relay.appended",
] as const;

/** The clock may go back an hour, but forward only by less than any deadline. */
const clockJumpsMs = [-3_600_000, -30_000, 5_000, 20_000];

export class Faults {
	readonly #platform: TestPlatform;
	readonly #random: Random;
	#offsetMs = 0;
	/** How often each kind happened. */
	readonly counts = new Map<string, number>();
	/** Launches whose agent was killed, as `<session>-g<generation>`: those may be failed. */
	readonly killedAgents = new Set<string>();
	kills = 0;
	/** Milliseconds from each restart to `/ready`. */
	readonly restartsMs: number[] = [];

	constructor(platform: TestPlatform, random: Random) {
		this.#platform = platform;
		this.#random = random;
	}

	/** One fault, after a random while. */
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
		];
		await this.#random.pick(kinds)();
	}

	/** The last restart, without anything that could stop it. */
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
		const point = this.#random.pick(failpoints);
		this.#count(`killed at ${point}`);
		this.kills++;
		await this.#platform.kill();
		this.#launch({ ATELIER_FAILPOINTS: `${point}=kill` });
		const [process] = this.#platform.processes;
		await eventually(() => process?.hasEnded, { withinMs: 2_500 }).catch(() => this.#count("failpoint not passed"));
		await this.#platform.kill();
		await this.#start();
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
		this.killedAgents.add(`${agent.session}-g${agent.generation}`);
		signal(agent.pid, "SIGKILL");
	}

	async #freezeAgent(): Promise<void> {
		const agent = this.#someAgent();
		if (!agent) return;
		this.#count("session agent frozen");
		await frozen((name) => signal(agent.pid, name), this.#random.between(100, 2_000));
	}

	#someAgent() {
		const agents = this.#platform.sessionProcesses().filter(({ isAgent }) => isAgent);
		return agents.length === 0 ? undefined : this.#random.pick(agents);
	}

	#launch(env: Record<string, string> = {}): void {
		const clock = { ATELIER_CLOCK_OFFSET_MS: String(this.#offsetMs) };
		this.#platform.processes = [this.#platform.startProcess([], { ...clock, ...env })];
	}

	async #start(): Promise<void> {
		const since = performance.now();
		this.#launch();
		await this.#platform.ready();
		this.restartsMs.push(performance.now() - since);
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

/** Nothing happens to a process that has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
	}
}
