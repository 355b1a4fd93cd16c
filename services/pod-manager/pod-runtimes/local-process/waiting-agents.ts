/**
 * Session agents that have been started before there is a session for them, so that one which is created finds its
 * program loaded. They have no identity until they are told a launch, hold nothing, and end with this process.
 */
import { once } from "node:events";
import { mkdir, rename, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { after, nextTurn, sleep, type Timer } from "#shared/clock.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { type AgentProgram, spawnWaiting, type StartedAgent, tell } from "./spawn-agent.ts";

/** Starting one costs processor time that a session which is being created needs more. */
const quietMs = 1_500;
/** After one that ended by itself: a program that cannot run is not started over and over. */
const failedMs = 30_000;
/** It takes a few milliseconds to take a launch. */
const answerMs = 2_000;

interface WaitingAgent extends StartedAgent {
	readonly log: string;
	/** Where it says that it is loaded, and that it has taken its launch. */
	readonly channel: Socket;
	isLoaded: boolean;
}

export class WaitingAgents {
	readonly #program: AgentProgram;
	readonly #folder: string;
	readonly #wanted: number;
	#agents: WaitingAgent[] = [];
	#signal: AbortSignal = AbortSignal.abort();
	#refill: Timer | undefined;
	#starting = false;
	#started = 0;

	/** @param folder Home of those that wait, and of their output. @param wanted How many are kept. */
	constructor(program: AgentProgram, folder: string, wanted: number) {
		this.#program = program;
		this.#folder = folder;
		this.#wanted = wanted;
	}

	/** Keeps them from now until the signal aborts; until it is called there are none. */
	keep(signal: AbortSignal): void {
		this.#signal = signal;
		signal.addEventListener("abort", () => this.#endAll());
		// What an earlier process left; one that lives does without its own.
		void rm(this.#folder, { recursive: true, force: true }).catch(() => {});
		this.#refillIn(quietMs);
	}

	/**
	 * Makes one of them the agent of this launch; undefined when there is none that can be.
	 * @param log Becomes the file of its output.
	 * @throws {Error} when one does not answer; it is ended then.
	 */
	async take(launch: LaunchDocument, log: string): Promise<StartedAgent | undefined> {
		this.#refillIn(quietMs);
		const agent = this.#agents.find(({ isLoaded }) => isLoaded);
		if (!agent) return undefined;
		this.#forget(agent);
		await this.#program.enter(agent.process.pid ?? 0, launch);
		const outcome = await hand(agent, launch, log);
		if (outcome === "taken") return agent;
		agent.process.kill("SIGKILL");
		if (outcome === "refused") return undefined;
		throw new Error(`A waiting session agent did not take its session within ${answerMs} ms`);
	}

	#refillIn(ms: number): void {
		this.#refill?.cancel();
		if (!this.#signal.aborted) this.#refill = after(ms, () => void this.#fill().catch(() => this.#refillIn(failedMs)));
	}

	async #fill(): Promise<void> {
		const { aborted } = this.#signal;
		if (aborted || this.#starting || this.#agents.length >= this.#wanted) return;
		this.#starting = true;
		await this.#add().finally(() => (this.#starting = false));
		this.#refillIn(quietMs);
	}

	async #add(): Promise<void> {
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		const log = join(this.#folder, `${process.pid}-${++this.#started}.log`);
		const started = await spawnWaiting(this.#program, this.#folder, log);
		const channel = started.process.stdio[3];
		if (!(channel instanceof Socket)) throw new TypeError("A waiting session agent has no channel to answer on");
		const agent = { ...started, log, channel, isLoaded: false };
		this.#agents.push(agent);
		channel.once("data", () => (agent.isLoaded = true));
		void agent.ended.then(() => this.#lost(agent));
		if (this.#signal.aborted) this.#endAll();
	}

	#lost(agent: WaitingAgent): void {
		if (!this.#agents.includes(agent)) return;
		this.#forget(agent);
		this.#refillIn(failedMs);
	}

	#forget(agent: WaitingAgent): void {
		this.#agents = this.#agents.filter((other) => other !== agent);
	}

	#endAll(): void {
		this.#refill?.cancel();
		for (const { process } of this.#agents.splice(0)) process.kill("SIGKILL");
	}
}

/** `refused`: it is as if it had never been there. */
type Outcome = "taken" | "refused" | "silent";

/** Resolves when nothing has come in time. What came while this process itself stood still is read before that. */
async function silence(signal: AbortSignal): Promise<"silent"> {
	await sleep(answerMs, signal);
	await nextTurn();
	return "silent";
}

async function hand(agent: WaitingAgent, launch: LaunchDocument, log: string): Promise<Outcome> {
	const { channel } = agent;
	const done = new AbortController();
	channel.ref();
	try {
		await rename(agent.log, log);
		const answer = once(channel, "data").then(
			() => "taken" as const,
			() => "silent" as const,
		);
		const end = agent.ended.then(() => "refused" as const);
		tell(agent, launch);
		return await Promise.race([answer, end, silence(done.signal)]);
	} catch {
		// Its output has been removed: whatever it would say were lost.
		return "refused";
	} finally {
		done.abort();
		channel.destroy();
	}
}
