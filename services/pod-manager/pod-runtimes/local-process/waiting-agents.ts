/**
 * Session agents that are started ahead of sessions, so that a new session finds its program loaded. They have no
 * identity until they get a launch, use no resources of a session, and end with this process.
 */
import { once } from "node:events";
import { mkdir, rename, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { after, nextTurn, sleep, type Timer } from "#shared/base/clock.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { type AgentProgram, sendLaunch, startAgent, type StartedAgent } from "./spawn-agent.ts";

/**
 * The pause after a launch before another agent is started, in milliseconds, because a session that is being created
 * needs the processor more.
 */
const quietMs = 1_500;
/** The pause after an agent that ended by itself, in milliseconds, so that a broken program is not started over and over. */
const failedMs = 30_000;
/** The time that an agent has to take a launch, in milliseconds; it usually takes a few. */
const answerMs = 2_000;

interface WaitingAgent extends StartedAgent {
	readonly log: string;
	/** The channel on which the agent reports that it is loaded and that it has taken its launch. */
	readonly channel: Socket;
	isLoaded: boolean;
}

/** The waiting agents of one process, with which they end. */
export class WaitingAgents {
	readonly #program: AgentProgram;
	readonly #folder: string;
	readonly #wanted: number;
	#agents: WaitingAgent[] = [];
	#signal: AbortSignal = AbortSignal.abort();
	#refill: Timer | undefined;
	#starting = false;
	#started = 0;

	/** @param folder The folder of the agents' homes and output. @param wanted The count of waiting agents. */
	constructor(program: AgentProgram, folder: string, wanted: number) {
		this.#program = program;
		this.#folder = folder;
		this.#wanted = wanted;
	}

	/** Maintains the waiting agents until the signal aborts. */
	keep(signal: AbortSignal): void {
		this.#signal = signal;
		signal.addEventListener("abort", () => this.#endAll());
		// Folders of an earlier process are removed; a living agent continues without its own.
		void rm(this.#folder, { recursive: true, force: true }).catch(() => {});
		this.#refillIn(quietMs);
	}

	/**
	 * Makes a waiting agent the agent of this launch; undefined when none can be.
	 * @param log The future file of its output.
	 * @throws {Error} when the agent does not answer; it is then ended.
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
		const started = await startAgent(this.#program, this.#folder, log);
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

/** The outcome of a hand-over; after `refused` it is as if the agent had never existed. */
type Outcome = "taken" | "refused" | "silent";

/** Resolves when no answer has come in time. Answers that arrived while this process itself was blocked are read first. */
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
		sendLaunch(agent, launch);
		return await Promise.race([answer, end, silence(done.signal)]);
	} catch {
		// Its output file has been removed, so its messages would be lost.
		return "refused";
	} finally {
		done.abort();
		channel.destroy();
	}
}
