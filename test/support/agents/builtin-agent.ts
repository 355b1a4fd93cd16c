/** The built-in agent as a real process, driven by the SDK's client, which judges every message by the protocol's schema. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import type { BuiltinWire } from "#agent/builtin/model/model-settings.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import type { ModelServer } from "../model-server/model-server.ts";

export interface BuiltinAgentOptions {
	/** The model server; absent: the agent runs in shell mode. */
	server?: ModelServer;
	/** The wire format of the model; default `openai-chat`. */
	wire?: BuiltinWire;
	/** Variables beside the model's own. */
	env?: Record<string, string>;
	/** Answers permission requests; default `allow_once`. */
	permit?: (request: acp.RequestPermissionRequest) => string | Promise<string>;
}

export class BuiltinAgent implements AsyncDisposable {
	/** The updates of all sessions, oldest first. */
	readonly updates: acp.SessionUpdate[] = [];
	readonly asked: acp.RequestPermissionRequest[] = [];
	/** The lines that the agent wrote outside of the protocol. */
	errors = "";
	readonly agent: acp.ClientContext;
	readonly #child: ChildProcess;

	constructor({ server, wire = "openai-chat", env = {}, permit = () => "allow_once" }: BuiltinAgentOptions) {
		const model = server && {
			ATELIER_MODEL: server.model,
			ATELIER_MODEL_WIRE: wire,
			ATELIER_MODEL_URL: server.endpoints[wire],
			ATELIER_MODEL_TOKEN: server.key,
			ATELIER_MODEL_CONTEXT: "128000",
		};
		const child = spawn(process.execPath, [join(projectRoot, "agent/builtin/main.ts")], {
			env: { PATH: process.env["PATH"], ...model, ...env },
			stdio: "pipe",
		});
		this.#child = child;
		child.stderr.on("data", (chunk: Buffer) => (this.errors += chunk.toString("utf8")));
		child.stdin.on("error", () => {});
		const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
		this.agent = acp
			.client({ name: "test" })
			.onNotification(acp.methods.client.session.update, ({ params }) => void this.updates.push(params.update))
			.onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
				this.asked.push(params);
				const optionId = await permit(params);
				return { outcome: optionId === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
			})
			.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), input)).agent;
	}

	get pid(): number {
		return this.#child.pid ?? 0;
	}

	initialize(): Promise<acp.InitializeResponse> {
		return this.agent.request(acp.methods.agent.initialize, {
			protocolVersion: acp.PROTOCOL_VERSION,
			clientCapabilities: { session: { notices: {} } },
		});
	}

	async open(cwd: string, mcpServers: acp.McpServer[] = []): Promise<TestSession> {
		await this.initialize();
		const { sessionId } = await this.agent.request(acp.methods.agent.session.new, { cwd, mcpServers });
		return new TestSession(this, sessionId);
	}

	async load(cwd: string, sessionId: string): Promise<TestSession> {
		await this.initialize();
		await this.agent.request(acp.methods.agent.session.load, { cwd, mcpServers: [], sessionId });
		return new TestSession(this, sessionId);
	}

	/** All texts of the agent. */
	get text(): string {
		return this.updates
			.map((update) => (update.sessionUpdate === "agent_message_chunk" ? textOf(update.content) : ""))
			.join("");
	}

	/** The tool calls after all updates, in the order of their announcement. */
	get calls(): acp.ToolCall[] {
		const calls = new Map<string, acp.ToolCall>();
		for (const update of this.updates) {
			if (update.sessionUpdate === "tool_call") calls.set(update.toolCallId, update);
			if (update.sessionUpdate !== "tool_call_update") continue;
			const before = calls.get(update.toolCallId);
			if (!before) throw new Error("A tool call was updated before it was announced");
			calls.set(update.toolCallId, { ...before, ...(update as Partial<acp.ToolCall>) });
		}
		return [...calls.values()];
	}

	async kill(): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		this.#child.kill("SIGKILL");
		await once(this.#child, "exit");
	}

	/** Ends the agent's input; resolves with its exit code. */
	async end(): Promise<number | null> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
		const gone = once(this.#child, "exit");
		this.#child.stdin?.end();
		await gone;
		return this.#child.exitCode;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.end();
	}
}

/** The tokens of a turn in the draft of the protocol. */
export interface TurnUsage {
	totalTokens: number;
	inputTokens: number;
	outputTokens: number;
	cachedReadTokens: number;
	cachedWriteTokens: number;
}

class TestSession {
	readonly id: string;
	readonly #agent: BuiltinAgent;

	constructor(agent: BuiltinAgent, id: string) {
		this.#agent = agent;
		this.id = id;
	}

	async say(text: string): Promise<acp.PromptResponse & { usage?: TurnUsage }> {
		const prompt = [{ type: "text" as const, text }];
		return this.#agent.agent.request(acp.methods.agent.session.prompt, { sessionId: this.id, prompt });
	}

	/** Resolves with the sentence with which a turn fails. */
	async failureOf(text: string): Promise<string> {
		return this.say(text).then(
			({ stopReason }) => `no failure but ${stopReason}`,
			(error: unknown) => (error instanceof Error ? error.message : String(error)),
		);
	}

	cancel(): Promise<void> {
		return this.#agent.agent.notify(acp.methods.agent.session.cancel, { sessionId: this.id });
	}

	setMode(modeId: string): Promise<unknown> {
		return this.#agent.agent.request(acp.methods.agent.session.setMode, { sessionId: this.id, modeId });
	}
}

function textOf(content: acp.ContentBlock): string {
	return content.type === "text" ? content.text : "";
}

/** Returns the text that a tool call shows. */
export function shownBy(call: acp.ToolCall | undefined): string {
	return (call?.content ?? []).map((item) => (item.type === "content" ? textOf(item.content) : "")).join("\n");
}
