/**
 * Session agents that are started ahead of sessions, so that a new session finds its program loaded. They have no
 * identity until they get a launch, use no resources of a session, and end with this process.
 */
import { once } from "node:events";
import { mkdir, rename, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { nextTurn, sleep } from "#shared/base/clock.ts";
import { aborted } from "#shared/base/concurrency/aborted.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { type WaitingKind, WaitingPool } from "../machine/waiting-pool.ts";
import { type AgentProgram, sendLaunch, startAgent, type StartedAgent } from "./spawn-agent.ts";

/** The time that an agent has to take a launch, in milliseconds; it usually takes a few. */
const answerMs = 2_000;

interface WaitingAgent extends StartedAgent {
	readonly log: string;
	/** The channel on which the agent reports that it is loaded and that it has taken its launch. */
	readonly channel: Socket;
}

/** The waiting agents of one process, with which they end. */
export class WaitingAgents implements WaitingKind<WaitingAgent> {
	readonly #program: AgentProgram;
	readonly #folder: string;
	readonly #pool: WaitingPool<WaitingAgent>;
	#started = 0;

	/** @param folder The folder of the agents' homes and output. @param wanted The count of waiting agents. */
	constructor(program: AgentProgram, folder: string, wanted: number) {
		this.#program = program;
		this.#folder = folder;
		this.#pool = new WaitingPool(this, wanted);
	}

	/** Maintains the waiting agents until the signal aborts. */
	keep(signal: AbortSignal): void {
		// Folders of an earlier process are removed; a living agent continues without its own.
		void rm(this.#folder, { recursive: true, force: true }).catch(() => {});
		this.#pool.keep(signal);
	}

	/** Resolves after the signal has aborted, when no agent waits any more. */
	close(): Promise<void> {
		return this.#pool.close();
	}

	/**
	 * Makes a waiting agent the agent of this launch; undefined when none can be.
	 * @param log The future file of its output.
	 * @throws {Error} when the agent does not answer; it is then ended.
	 */
	async take(launch: LaunchDocument, log: string): Promise<StartedAgent | undefined> {
		const agent = this.#pool.take();
		if (!agent) return undefined;
		await this.#program.enter(agent.process.pid ?? 0, launch);
		const outcome = await hand(agent, launch, log);
		if (outcome === "taken") return agent;
		agent.process.kill("SIGKILL");
		if (outcome === "refused") return undefined;
		throw new Error(`A waiting session agent did not take its session within ${answerMs} ms`);
	}

	async start(signal: AbortSignal): Promise<WaitingAgent> {
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		const log = join(this.#folder, `${process.pid}-${++this.#started}.log`);
		const started = await startAgent(this.#program, this.#folder, log);
		const channel = started.process.stdio[3];
		if (!(channel instanceof Socket)) throw new TypeError("A waiting session agent has no channel to answer on");
		const loaded = once(channel, "data").then(() => true);
		const isLoaded = await Promise.race([loaded, started.ended.then(() => false), aborted(signal).then(() => false)]);
		if (isLoaded) return { ...started, log, channel };
		started.process.kill("SIGKILL");
		throw new Error("A session agent has ended before it was loaded");
	}

	async end({ process: agent }: WaitingAgent): Promise<void> {
		agent.kill("SIGKILL");
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
