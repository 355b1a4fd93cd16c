/** Keeps a coding agent running. It starts while the workspace is made, and is started again when its process ends. */
import { monotonic } from "#shared/base/clock.ts";
import type { PermissionMode } from "#shared/contracts/sessions/session-resource.ts";
import type { AgentProcess } from "./agent-process.ts";
import { cannotStart, startCodingAgent, type AgentStarterDependencies } from "./agent-starter.ts";
import type { AgentNotice, CodingAgent, ModeNotice } from "./coding-agent.ts";
import { LaunchFailure } from "../io/launch-failure.ts";

/** A coding agent whose process ends twice within this time, without an interrupt, is not started again. */
const restartMs = 600_000;

/** Owns the agent process of a pod. */
export class AgentKeeper {
	readonly #dependencies: AgentStarterDependencies;
	readonly #watchers: ((notice: AgentNotice) => void)[] = [];
	/** The model that a person chose since the launch. */
	#model = "";
	#mode: ModeNotice | undefined;
	#process: AgentProcess | undefined;
	#agent: CodingAgent | undefined;

	constructor(dependencies: Omit<AgentStarterDependencies, "onNotice">) {
		const onNotice = (notice: AgentNotice): void => {
			if (notice.type === "mode") this.#mode = notice;
			for (const watcher of this.#watchers) watcher(notice);
		};
		this.#dependencies = { ...dependencies, onNotice };
	}

	watch(watcher: (notice: AgentNotice) => void): void {
		this.#watchers.push(watcher);
	}

	/** @throws {LaunchFailure} */
	async start(): Promise<CodingAgent> {
		this.#agent = await startCodingAgent(this.#dependencies, this.#model, (process) => (this.#process = process));
		return this.#agent;
	}

	/**
	 * Passes every agent to `begin`: the first one and each that replaces an agent whose process has ended.
	 * @throws {LaunchFailure} when agents end too often.
	 */
	async keep(first: CodingAgent, folder: string, begin: (agent: CodingAgent) => void): Promise<never> {
		const { log, signal } = this.#dependencies;
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

	/** Sets the model of later turns, also for an agent that replaces this one. @throws {Error} with a sentence. */
	async setModel(model: string): Promise<void> {
		if (!this.#agent) throw new Error("The coding agent has not started yet");
		await this.#agent.setModel(model);
		this.#model = model;
	}

	/** The agent's own mode as it was told last; undefined when it has no modes. */
	get mode(): ModeNotice | undefined {
		return this.#mode;
	}

	/** Chooses one of the agent's own modes, until its permission mode is set or it is started again. @throws {Error} */
	async setMode(mode: string): Promise<ModeNotice> {
		if (!this.#agent) throw new Error("The coding agent has not started yet");
		return this.#agent.setMode(mode);
	}

	/** Sets the mode at once, also for an agent that replaces this one. @throws {Error} with a sentence. */
	async setPermissionMode(mode: PermissionMode): Promise<void> {
		await this.#agent?.setPermissionMode(mode);
		this.#dependencies.permissions.setMode(mode);
	}

	/** The agent that was started last; it may have ended. */
	get agent(): CodingAgent | undefined {
		return this.#agent;
	}

	/** Kills the agent without asking it to end. */
	kill(): void {
		this.#process?.kill();
	}

	async close(): Promise<void> {
		await this.#process?.close();
	}
}
