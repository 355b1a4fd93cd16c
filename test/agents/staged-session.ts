/** A session of the agents' tests, as a person uses it over the platform's API. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { AgentMode, PermissionBehavior } from "#shared/contracts/sessions/session-control.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { AgentPlatform } from "../support/agents/agent-platform.ts";
import { AgentTalk } from "../support/agents/agent-talk.ts";
import type { ApiClient } from "../support/clients/api-client.ts";
import { eventually } from "../support/eventually.ts";
import type { ModelServer } from "../support/model-server/model-server.ts";
import type { Step } from "../support/model-server/script.ts";
import { processFile } from "../support/machine/process-file.ts";
import type { SessionProcess } from "../support/platform/session-processes.ts";
import { sessionReaches } from "../support/platform/session-steps.ts";

const stopMs = 60_000;
const restartMs = 120_000;

export class StagedSession {
	readonly id: string;
	readonly talk: AgentTalk;
	readonly api: ApiClient;
	readonly #testbed: AgentPlatform;
	readonly #model: ModelServer;
	readonly #teach: (steps: Record<string, readonly Step[]>) => void;

	/** @param teach Adds steps to the model, by the word in a message. */
	constructor(
		testbed: AgentPlatform,
		model: ModelServer,
		id: string,
		teach: (steps: Record<string, readonly Step[]>) => void,
	) {
		this.#testbed = testbed;
		this.#model = model;
		this.#teach = teach;
		this.id = id;
		this.api = testbed.platform.client();
		this.talk = new AgentTalk(this.api, id);
	}

	get path(): string {
		return `/sessions/${this.id}`;
	}

	/** The path of a file of the workspace, as the agent sees it. */
	file(name: string): string {
		return join(this.#testbed.workspaceOf(this.id), name);
	}

	/** The path of a file of the workspace on this machine. */
	ownFile(name: string): string {
		return join(this.#testbed.platform.workspace(this.id), name);
	}

	/** The text of the file without blanks around it; empty while there is no file. */
	contentOf(name: string): string {
		return existsSync(this.ownFile(name)) ? readFileSync(this.ownFile(name), "utf8").trim() : "";
	}

	/** Resolves with the agent's turn after a message, to which the model answers with these steps. */
	async does(word: string, steps: readonly Step[], behavior: PermissionBehavior = "allow"): Promise<ConversationTurn> {
		return this.talk.answer(await this.begins(word, steps), behavior);
	}

	/**
	 * Resolves with the message's id. @param word It belongs to this session and is used once, so the steps are those
	 * of one turn.
	 */
	begins(word: string, steps: readonly Step[]): Promise<string> {
		const own = this.#wordOf(word);
		this.#teach({ [own]: steps });
		return this.talk.send(`${own}, please`);
	}

	/** Teaches the model to answer to a text that is no message of the test. */
	learns(text: string, steps: readonly Step[]): void {
		this.#teach({ [text]: steps });
	}

	/** No word of one session is part of another one, because the id comes first. */
	#wordOf(word: string): string {
		return `${this.id}-${word}`;
	}

	async view(): Promise<Session> {
		return (await this.api.get<Session>(this.path)).body;
	}

	/** The agent's own mode, with those that it offers. */
	async mode(): Promise<AgentMode> {
		return (await this.api.get<AgentMode>(`${this.path}/mode`)).body;
	}

	/** @throws {Error} when the mode is not set. */
	async choosesMode(mode: string): Promise<void> {
		const { status, text } = await this.api.put(`${this.path}/mode`, { mode });
		if (status !== 200) throw new Error(`The mode "${mode}" was not set: ${status} ${text}`);
	}

	/** The reported activity since the platform was started, oldest first. */
	activities(): string[] {
		return this.#testbed.stream.events.flatMap(({ event, data }) => {
			if (event !== "session_activity") return [];
			const { session_id, state } = JSON.parse(data) as { session_id: string; state: string };
			return session_id === this.id ? [state] : [];
		});
	}

	async reaches(status: string, withinMs: number): Promise<void> {
		await sessionReaches(this.api, this.id, status, withinMs);
	}

	async stop(): Promise<void> {
		await this.api.post(`${this.path}/stop`);
		await this.reaches("stopped", stopMs);
	}

	async start(): Promise<void> {
		await this.api.post(`${this.path}/start`);
		await this.reaches("running", restartMs);
	}

	async log(): Promise<string> {
		return (await this.api.get(`${this.path}/logs?lines=2000`)).text;
	}

	/** Resolves when nothing remains of the session. */
	async delete(): Promise<void> {
		await this.api.delete(this.path, { body: { cleanup: ["workspace_storage"] } });
		await eventually(() => this.processes().length === 0, { withinMs: 30_000, what: `${this.id} has no processes` });
	}

	processes(): SessionProcess[] {
		return this.#testbed.platform.sessionProcesses().filter(({ session }) => session === this.id);
	}

	/** Whether a command of the agent runs that has this text in its arguments. */
	runs(text: string): boolean {
		return this.processes().some(({ pid }) => processFile(pid, "cmdline").includes(text));
	}

	/** The process id of the coding agent. */
	agentPid(): number {
		const all = this.processes();
		const pod = all.find(({ parent }) => !all.some(({ pid }) => pid === parent));
		const ofPod = pod ? processFile(pod.pid, "cmdline") : "";
		// A process that the pod is about to start has the pod's command line until it runs its own program.
		const isAgent = (command: string): boolean => !["", ofPod].includes(command) && !/^(\S*\/)?git\0/.test(command);
		const agent = all.find(({ pid, parent }) => parent === pod?.pid && isAgent(processFile(pid, "cmdline")));
		if (!agent) throw new Error(`Session ${this.id} has no coding agent`);
		return agent.pid;
	}

	/** Resolves when the model is asked with a word of this session in the newest message. */
	async modelIsAsked(word: string): Promise<void> {
		const asked = (): boolean =>
			this.#model.requests.some(({ items }) =>
				items.some(({ role, text }) => role === "user" && text.includes(this.#wordOf(word))),
			);
		await this.talk.until(asked, `the model is asked about ${word}`);
	}
}
