/** Keeps a coding agent running: started while the workspace is made, and started again when it is lost. */
import { monotonic } from "#shared/clock.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { AgentProcess } from "./agent-process.ts";
import { readAgentRecord } from "./agent-record.ts";
import type { AgentNotice, CodingAgent } from "./coding-agent.ts";
import { AcpAgent } from "./coding-agents/acp.ts";
import type { Environment } from "./environment.ts";
import { LaunchFailure } from "./launch-failure.ts";
import type { LogBuffer } from "./log-buffer.ts";
import type { Permissions } from "./permissions.ts";

/** A coding agent that is lost twice in this time, without a person's interrupt, is not started again. */
const restartMs = 600_000;

export interface KeeperParts {
	readonly launch: LaunchDocument;
	/** Environment of this process. */
	readonly inherited: NodeJS.ProcessEnv;
	/** What the coding agent gets of it. */
	readonly env: Environment;
	readonly permissions: Permissions;
	readonly log: LogBuffer;
	/** Aborted when the pod ends. */
	readonly signal: AbortSignal;
	/** Told what a coding agent says beside its answers. */
	readonly onNotice: (notice: AgentNotice) => void;
}

export class AgentKeeper {
	readonly #parts: KeeperParts;
	#model: string;
	#process: AgentProcess | undefined;
	#agent: CodingAgent | undefined;

	constructor(parts: KeeperParts) {
		this.#parts = parts;
		this.#model = parts.launch.model;
	}

	/** @throws {LaunchFailure} */
	async start(): Promise<CodingAgent> {
		const { launch, inherited, env, permissions, log, signal, onNotice } = this.#parts;
		const { agent, system_prompt: systemPrompt, home, interrupt_ms: interruptMs } = launch;
		const model = this.#model;
		const record = await readAgentRecord(agent, { model, compile_cache: inherited["NODE_COMPILE_CACHE"] ?? "" });
		signal.throwIfAborted();
		const process = new AgentProcess(record, env, home, log);
		this.#process = process;
		const { id, title, late_update_ms: lateUpdateMs } = record;
		const about = { id, title, model, systemPrompt, lateUpdateMs, interruptMs };
		const started = await AcpAgent.connect(process, { ...about, permissions, onNotice, log }).catch(cannotStart);
		this.#agent = started;
		return started;
	}

	/**
	 * Hands every agent to `begin`, the first one and those that take the place of a lost one.
	 * @throws {LaunchFailure} when agents are lost too often.
	 */
	async keep(first: CodingAgent, folder: string, begin: (agent: CodingAgent) => void): Promise<never> {
		const { log, signal } = this.#parts;
		let agent = first;
		let restartedAt = -restartMs;
		for (;;) {
			begin(agent);
			const sentence = await agent.ended;
			signal.throwIfAborted();
			if (!agent.wasKilled && monotonic() - restartedAt < restartMs) throw new LaunchFailure("AGENT_LOST", sentence);
			log.add("ERROR", "session-agent", `${sentence}; it is started again`);
			if (!agent.wasKilled) restartedAt = monotonic();
			agent = await this.start();
			await agent.open(folder).catch(cannotStart);
		}
	}

	/** For the turns to come, also of an agent that takes the place of this one. @throws {Error} with a sentence. */
	async setModel(model: string): Promise<void> {
		if (!this.#agent) throw new Error("The coding agent has not started yet");
		await this.#agent.setModel(model);
		this.#model = model;
	}

	async close(): Promise<void> {
		await this.#process?.close();
	}
}

export function cannotStart(error: unknown): never {
	const said = error instanceof Error ? error.message : String(error);
	throw new LaunchFailure("AGENT_START_FAILED", `The coding agent cannot be started: ${said}`, { cause: error });
}
