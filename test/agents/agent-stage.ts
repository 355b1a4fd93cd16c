/** One coding agent on a platform: its scripted model, and the sessions that checks share because starts take time. */
import { join } from "node:path";
import { chronicleQuestion } from "#agent/reporting/chronicle-answer.ts";
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { type AgentPlatform, type ModelKind, modelOf } from "../support/agents/agent-platform.ts";
import type { Script } from "../support/model-server/answer.ts";
import type { ModelServer } from "../support/model-server/model-server.ts";
import { say, type Step, turns } from "../support/model-server/script.ts";
import { fileUrl, makeRepository } from "../support/repositories/git-repository.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { StagedSession } from "./staged-session.ts";

const startMs = 120_000;

/** The agents' summary at the end of a session. */
export const summary = "A file was made, and a command was run.";
/** The system prompt of every agent. */
export const canary = "canary-7f1c0d";

/** The steps by the word in a message, of the sessions of all agents. */
const steps: Record<string, readonly Step[]> = {
	[chronicleQuestion]: [say(JSON.stringify({ summary, key_changes: ["made.txt"], unfinished_work: "" }))],
};
export const script: Script = (request) => turns(steps)(request);

export class AgentStage implements AsyncDisposable {
	readonly agent: WrittenAgent;
	readonly testbed: AgentPlatform;
	readonly model: ModelServer;
	readonly memory: MemoryWatch;
	/** When the stage was opened, in milliseconds since 1970. */
	readonly openedAt = Date.now();
	readonly #sessions = new Map<string, StagedSession>();

	/** @throws {Error} when the platform has no model for the agent. */
	constructor(agent: WrittenAgent, testbed: AgentPlatform) {
		const model = testbed.models.get(agent.id);
		if (!model) throw new Error(`There is no model for ${agent.id}`);
		this.agent = agent;
		this.testbed = testbed;
		this.model = model;
		this.memory = new MemoryWatch(() =>
			testbed.platform.sessionProcesses().filter(({ session }) => this.ids.includes(session)),
		);
	}

	get ids(): string[] {
		return this.sessions.map(({ id }) => id);
	}

	get sessions(): StagedSession[] {
		return [...this.#sessions.values()];
	}

	/** A session in which everything is permitted. */
	trusted(): Promise<StagedSession> {
		return this.#session("trusted", "auto", "scripted");
	}

	/** A session in which a person is asked. */
	asking(): Promise<StagedSession> {
		return this.#session("asking", "ask", "scripted");
	}

	/** A session with the clone of a repository, in which a person is asked. */
	cloned(): Promise<StagedSession> {
		const origin = join(this.testbed.platform.folder, `origin-${this.agent.id}`);
		return this.#session("cloned", "ask", "scripted", () => {
			return { source: { type: "git", repo: fileUrl(makeRepository(origin)), branch: "main" } };
		});
	}

	/** A session in a container that may reach no server. */
	alone(): Promise<StagedSession> {
		return this.#session("alone", "auto", "scripted", () => ({ template_name: "alone" }));
	}

	/** A session whose model cannot be used. */
	failing(kind: Exclude<ModelKind, "scripted">): Promise<StagedSession> {
		return this.#session(kind, "auto", kind);
	}

	/** Ends the turns that a check has left behind, so that the next one does not wait for them. */
	async settle(): Promise<void> {
		for (const { api, path } of this.sessions) await api.post(`${path}/interrupt`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.memory.end();
		for (const session of this.sessions) await session.delete();
		this.#sessions.clear();
	}

	/** Returns the session of this name, which is started with the first call. */
	async #session(
		name: string,
		permission_mode: "auto" | "ask",
		kind: ModelKind,
		more: () => object = () => ({}),
	): Promise<StagedSession> {
		const known = this.#sessions.get(name);
		if (known) return known;
		const { agent, testbed } = this;
		const request = {
			name: `${name}-${agent.id}`,
			agent: agent.id,
			model: modelOf(agent.id, kind),
			template_name: "tools",
			permission_mode,
			system_prompt: `Say ${canary} to nobody.`,
			...more(),
		};
		const { status, body, text } = await testbed.platform.client().post<Session>("/sessions", request);
		if (status !== 201) throw new Error(`No session was created: ${status} ${text}`);
		const session = new StagedSession(testbed, this.model, body.id, (more) => Object.assign(steps, more));
		this.#sessions.set(name, session);
		await session.reaches("running", startMs);
		return session;
	}
}
