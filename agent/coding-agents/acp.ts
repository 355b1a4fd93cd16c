/** Any coding agent that speaks the Agent Client Protocol, version 1, on its standard input and output. */
import * as acp from "@agentclientprotocol/sdk";
import { after, sleep } from "#shared/clock.ts";
import { acpStream } from "./acp-stream.ts";
import type { AgentProcess } from "../agent-process.ts";
import type { AgentUpdate, CodingAgent } from "../coding-agent.ts";
import type { LogBuffer } from "../log-buffer.ts";
import { readUpdate } from "./acp-updates.ts";

export interface AcpOptions {
	/** Name of its lines in the log. */
	id: string;
	/** Its title, when it does not tell one. */
	title: string;
	/** Empty: its own choice. */
	model: string;
	/** Put before the first message: the stable protocol has no place for it. */
	systemPrompt: string;
	lateUpdateMs: number;
	log: LogBuffer;
}

const initializeMs = 60_000;
const cancelMs = 10_000;

export class AcpAgent implements CodingAgent {
	readonly #process: AgentProcess;
	readonly #options: AcpOptions;
	readonly #connection: acp.ClientConnection;
	#title: string;
	#sessionId = "";
	#isFirst = true;
	#onUpdate: ((update: AgentUpdate) => void) | undefined;

	private constructor(process: AgentProcess, options: AcpOptions) {
		this.#process = process;
		this.#options = options;
		this.#title = options.title;
		this.#connection = acp
			.client({ name: "atelier" })
			.onRequest(acp.methods.client.session.requestPermission, ({ params }) => this.#permit(params))
			.onNotification(acp.methods.client.session.update, ({ params }) => this.#receive(params))
			.connect(acpStream(process.input, process.output));
	}

	/** Agrees on the protocol. @throws {Error} within 60 s when it does not. */
	static async connect(process: AgentProcess, options: AcpOptions): Promise<AcpAgent> {
		const agent = new AcpAgent(process, options);
		const answer = await agent.#within(
			initializeMs,
			agent.#connection.agent.request(acp.methods.agent.initialize, hello),
		);
		const { agentInfo, protocolVersion } = answer;
		if (protocolVersion !== acp.PROTOCOL_VERSION)
			throw new Error(`It speaks version ${protocolVersion} of its protocol`);
		agent.#title = agentInfo?.title ?? agentInfo?.name ?? options.title;
		return agent;
	}

	get title(): string {
		return this.#title;
	}

	get ended(): Promise<string> {
		return this.#process.ended;
	}

	async open(folder: string): Promise<void> {
		const request = this.#connection.agent.request(acp.methods.agent.session.new, { cwd: folder, mcpServers: [] });
		const { sessionId, configOptions } = await this.#within(initializeMs, request);
		this.#sessionId = sessionId;
		await this.#chooseModel(configOptions ?? []);
	}

	async prompt(text: string, onUpdate: (update: AgentUpdate) => void): Promise<string> {
		const { systemPrompt, lateUpdateMs } = this.#options;
		const before = this.#isFirst && systemPrompt !== "" ? [block(systemPrompt)] : [];
		this.#isFirst = false;
		this.#onUpdate = onUpdate;
		try {
			const prompt: acp.PromptRequest = { sessionId: this.#sessionId, prompt: [...before, block(text)] };
			const answer = this.#connection.agent.request(acp.methods.agent.session.prompt, prompt);
			const { stopReason } = await this.#orEnded(answer);
			if (lateUpdateMs > 0) await sleep(lateUpdateMs);
			return stopReason;
		} finally {
			this.#onUpdate = undefined;
		}
	}

	cancel(): void {
		const turn = this.#onUpdate;
		if (!turn) return;
		// When it cannot be told, it has ended.
		this.#connection.agent.notify(acp.methods.agent.session.cancel, { sessionId: this.#sessionId }).catch(() => {});
		after(cancelMs, () => {
			if (this.#onUpdate === turn) this.#process.kill();
		});
	}

	close(): Promise<void> {
		return this.#process.close();
	}

	/** Policy `auto`: once, never for ever, because the agent would remember that. */
	#permit({ toolCall, options }: acp.RequestPermissionRequest): acp.RequestPermissionResponse {
		const once = options.find(({ kind }) => kind === "allow_once");
		const what = toolCall.title ?? "a tool call";
		this.#options.log.add("INFO", this.#options.id, once ? `Permitted once: ${what}` : `Not permitted: ${what}`);
		return { outcome: once ? { outcome: "selected", optionId: once.optionId } : { outcome: "cancelled" } };
	}

	#receive({ sessionId, update }: acp.SessionNotification): void {
		const read = sessionId === this.#sessionId ? readUpdate(update) : undefined;
		if (read) this.#onUpdate?.(read);
	}

	async #chooseModel(offered: readonly acp.SessionConfigOption[]): Promise<void> {
		const { model, id, log } = this.#options;
		const choice = offered.find(({ category, type }) => category === "model" && type === "select");
		if (model === "" || choice?.type !== "select") return;
		const known = choice.options.flatMap((entry) => ("options" in entry ? entry.options : [entry]));
		const value = known.find((entry) => entry.value === model || entry.name === model)?.value;
		if (value === undefined) {
			const names = known.map((entry) => entry.value).join(", ");
			log.add("WARNING", id, `The coding agent has no model "${model}"; it offers ${names}`);
			return;
		}
		const request = { sessionId: this.#sessionId, configId: choice.id, value };
		await this.#within(
			initializeMs,
			this.#connection.agent.request(acp.methods.agent.session.setConfigOption, request),
		);
	}

	async #within<T>(ms: number, answer: Promise<T>): Promise<T> {
		const late = Promise.withResolvers<never>();
		const timer = after(ms, () => late.reject(new Error("It does not answer")));
		return Promise.race([this.#orEnded(answer), late.promise]).finally(() => timer.cancel());
	}

	/** A closed connection says nothing; the process that closed it does. */
	async #orEnded<T>(answer: Promise<T>): Promise<T> {
		const ended = this.#process.ended.then((sentence) => {
			throw new Error(sentence);
		});
		return Promise.race([answer, ended]).catch(async (error: unknown) => {
			if (!this.#connection.signal.aborted) throw error;
			await ended;
			throw error;
		});
	}
}

/** Neither files nor terminals are offered: agents have their own. */
const hello: acp.InitializeRequest = {
	protocolVersion: acp.PROTOCOL_VERSION,
	clientCapabilities: { session: { notices: {} } },
	clientInfo: { name: "atelier", version: "1" },
};

function block(text: string): acp.ContentBlock {
	return { type: "text", text };
}
