/**
 * Any coding agent that speaks the Agent Client Protocol, version 1, on its standard input and output
 * (agentclientprotocol.com; why without its SDK: docs/decisions/0007).
 */
import { after, sleep } from "#shared/clock.ts";
import type { PermissionMode } from "#shared/contracts/session-resource.ts";
import type { AgentProcess } from "../agent-process.ts";
import { AgentLostError, type AgentNotice, type AgentUpdate, type CodingAgent } from "../coding-agent.ts";
import type { CommandTime } from "../command-end.ts";
import { isJsonObject, type JsonObject, objectsOf, textOf } from "../../io/json-object.ts";
import { JsonRpc, RpcError } from "../../io/json-rpc.ts";
import type { Permissions } from "../permissions.ts";
import { readPermission } from "./acp-permissions.ts";
import { modeRequest } from "./acp-mode.ts";
import { modelChoice, modelOption } from "./acp-model.ts";
import { readNotice } from "./acp-notices.ts";
import { openSession, type OpeningOptions } from "./acp-opening.ts";
import { AcpToolCalls } from "./acp-tool-calls.ts";

export interface AcpOptions extends Omit<OpeningOptions, "mode"> {
	/** Its own modes by who allows what it asks; empty: as it starts. */
	modes: Readonly<Record<PermissionMode, string>>;
	/** Its title, when it does not tell one. */
	title: string;
	/** Empty: its own choice. */
	model: string;
	lateUpdateMs: number;
	/** How long it may take over an interrupt before it is ended. Default 10 s. */
	interruptMs?: number | undefined;
	permissions: Permissions;
	/** Told what it says beside its answers. */
	onNotice?: (notice: AgentNotice) => void;
}

/** What of its process concerns its protocol. */
type RunningAgent = Pick<AgentProcess, "input" | "output" | "ended" | "endCommands" | "kill" | "close">;

const protocolVersion = 1;
const initializeMs = 60_000;
const defaultInterruptMs = 10_000;
/** An agent that says no more cannot be of use any longer. */
const silentMs = 3_000;

/** Neither files nor terminals are offered: agents have their own. */
const hello = {
	protocolVersion,
	clientCapabilities: { session: { notices: {} } },
	clientInfo: { name: "atelier", version: "1" },
};

export class AcpAgent implements CodingAgent {
	readonly #process: RunningAgent;
	readonly #options: AcpOptions;
	readonly #rpc: JsonRpc;
	#title: string;
	#sessionId = "";
	/** What it lets one choose. */
	#choices: JsonObject[] = [];
	/** What it told of its modes. */
	#modes: JsonObject = {};
	/** What it said it can do. */
	#capabilities: JsonObject = {};
	/** Stands before the next message. */
	#preamble: readonly string[] = [];
	#wasKilled = false;
	#onUpdate: ((update: AgentUpdate) => void) | undefined;
	/** Of the turn under way. */
	#calls = new AcpToolCalls();
	/** Listener of the turn that was cancelled last. */
	#cancelled: ((update: AgentUpdate) => void) | undefined;
	/** Since when a command was under way when that was done. */
	#cancelledCommand: CommandTime | undefined;
	/** Listener of the turn of whose cancellation the agent was told last. */
	#toldOfCancel: ((update: AgentUpdate) => void) | undefined;

	private constructor(process: RunningAgent, options: AcpOptions) {
		this.#process = process;
		this.#options = options;
		this.#title = options.title;
		this.#rpc = new JsonRpc(process.output, process.input, {
			requests: { "session/request_permission": (params) => this.#permit(params) },
			notifications: { "session/update": (params) => this.#receive(params) },
		});
		void this.#rpc.closed.then(() => {
			options.permissions.cancel();
			after(silentMs, () => process.kill());
		});
	}

	/** Agrees on the protocol. @throws {Error} within 60 s when it does not. */
	static async connect(process: RunningAgent, options: AcpOptions): Promise<AcpAgent> {
		const agent = new AcpAgent(process, options);
		const { agentInfo, agentCapabilities, protocolVersion: spoken } = await agent.#ask("initialize", hello);
		if (spoken !== protocolVersion) throw new Error(`It speaks version ${String(spoken)} of its protocol`);
		const { title, name } = isJsonObject(agentInfo) ? agentInfo : {};
		agent.#capabilities = isJsonObject(agentCapabilities) ? agentCapabilities : {};
		agent.#title = textOf(title) ?? textOf(name) ?? options.title;
		return agent;
	}

	get title(): string {
		return this.#title;
	}

	get ended(): Promise<string> {
		return this.#process.ended;
	}

	get wasKilled(): boolean {
		return this.#wasKilled;
	}

	async open(folder: string): Promise<void> {
		const options = { ...this.#options, mode: this.#options.modes[this.#options.permissions.mode] };
		const opened = await openSession(folder, this.#capabilities, options, (...call) => this.#ask(...call));
		this.#modes = opened.modes;
		this.#sessionId = opened.id;
		this.#preamble = opened.preamble;
		this.#choices = opened.choices;
		await this.#chooseModel();
	}

	async setModel(model: string): Promise<void> {
		const option = modelOption(this.#choices);
		if (!option) throw new Error("The coding agent does not let its model be changed");
		const request = { sessionId: this.#sessionId, ...modelChoice(option, model) };
		const { configOptions } = await this.#ask("session/set_config_option", request);
		if (configOptions !== undefined) this.#choices = objectsOf(configOptions);
	}

	async setPermissionMode(mode: PermissionMode): Promise<void> {
		const own = this.#options.modes[mode];
		// Before it is opened, it is enough that the mode is known.
		if (own === "" || this.#sessionId === "") return;
		const request = modeRequest(own, { modes: this.#modes, choices: this.#choices });
		if (!request) throw new Error(`The coding agent has no mode "${own}"; it goes on as before`);
		await this.#ask(request[0], { sessionId: this.#sessionId, ...request[1] });
	}

	async prompt(text: string, onUpdate: (update: AgentUpdate) => void): Promise<string> {
		const { lateUpdateMs } = this.#options;
		const prompt = [...this.#preamble, text].map((part) => ({ type: "text", text: part }));
		this.#preamble = [];
		this.#cancelled = undefined;
		this.#onUpdate = onUpdate;
		this.#calls = new AcpToolCalls();
		try {
			const answer = this.#rpc.request("session/prompt", { sessionId: this.#sessionId, prompt });
			const { stopReason } = await this.#orEnded(answer).catch((error: unknown) => this.#unlessCancelled(error));
			if (lateUpdateMs > 0) await sleep(lateUpdateMs);
			if (this.#isCancelled) await this.#endCommands();
			// Some say that a turn ended by itself when it was cancelled while they waited for a person.
			return this.#toldOfCancel === onUpdate ? "cancelled" : (textOf(stopReason) ?? "end_turn");
		} finally {
			for (const update of this.#calls.closed(this.#isCancelled)) onUpdate(update);
			this.#onUpdate = undefined;
			this.#options.permissions.cancel();
		}
	}

	cancel(): void {
		const turn = this.#onUpdate;
		const { id, log, permissions, interruptMs = defaultInterruptMs } = this.#options;
		const isRepeated = this.#cancelled === turn;
		if (!isRepeated) this.#cancelledCommand = this.#calls.commandTime;
		this.#cancelled = turn;
		permissions.cancel();
		// Told more than once, agents cancel the next turn too, or fail.
		if (!turn || isRepeated) return;
		// After the answers to what it asks, which leave in this turn of the event loop. By then the next turn may have begun.
		void sleep(0).then(() => {
			if (this.#onUpdate !== turn) return;
			this.#toldOfCancel = turn;
			this.#rpc.notify("session/cancel", { sessionId: this.#sessionId });
		});
		after(interruptMs, () => {
			if (this.#onUpdate !== turn) return;
			this.#wasKilled = true;
			log.add("WARNING", id, "The coding agent did not heed the interrupt, and is ended");
			this.#process.kill();
		});
	}

	close(): Promise<void> {
		return this.#process.close();
	}

	/** Of a turn that is being cancelled, nothing is allowed any more. */
	async #permit(params: JsonObject): Promise<object> {
		if (this.#isCancelled) return { outcome: { outcome: "cancelled" } };
		const [calls, onUpdate] = [this.#calls, this.#onUpdate];
		const show = (update: AgentUpdate | undefined): void => {
			if (update && this.#onUpdate === onUpdate) onUpdate?.(update);
		};
		const { call, news } = calls.asked(params);
		show(news);
		const wanted = readPermission(call, params["options"]);
		const optionId = await this.#options.permissions.ask(wanted);
		const kind = wanted.options.find(({ option_id }) => option_id === optionId)?.kind ?? "reject_once";
		show(calls.answered(call["toolCallId"], !kind.startsWith("reject")));
		return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
	}

	/** Whether the turn under way was told to end. */
	get #isCancelled(): boolean {
		return this.#cancelled !== undefined && this.#cancelled === this.#onUpdate;
	}

	#receive({ sessionId, update }: JsonObject): void {
		// What it says in the same breath as the session's id comes before the id is known here.
		const isOurs = this.#sessionId === "" || sessionId === this.#sessionId;
		if (!isOurs || !isJsonObject(update)) return;
		const notice = readNotice(update);
		if (notice) return this.#options.onNotice?.(notice);
		const read = this.#calls.told(update);
		if (read) this.#onUpdate?.(read);
	}

	/** Those that were under way when the turn was cancelled, or that are said to be so still. */
	async #endCommands(): Promise<void> {
		const time = this.#cancelledCommand ?? this.#calls.commandTime;
		if (time) await this.#process.endCommands(time);
	}

	/** The model of the launch, where there is a choice. */
	async #chooseModel(): Promise<void> {
		const { model, id, log } = this.#options;
		if (model === "" || !modelOption(this.#choices)) return;
		await this.setModel(model).catch((error: unknown) => {
			if (error instanceof RpcError) throw error;
			log.add("WARNING", id, error instanceof Error ? error.message : String(error));
		});
	}

	/** Some fail when they are cancelled before they have begun. @throws what is anything else. */
	#unlessCancelled(error: unknown): JsonObject {
		if (error instanceof RpcError && this.#isCancelled) return { stopReason: "cancelled" };
		throw error;
	}

	/** A request that is answered quickly or not at all. */
	async #ask(method: string, params: object): Promise<JsonObject> {
		const late = Promise.withResolvers<never>();
		const timer = after(initializeMs, () => late.reject(new Error("It does not answer")));
		return Promise.race([this.#orEnded(this.#rpc.request(method, params)), late.promise]).finally(() => timer.cancel());
	}

	/** A closed connection says nothing; the process that closed it does. */
	async #orEnded<T>(answer: Promise<T>): Promise<T> {
		const ended = this.#process.ended.then((sentence) => {
			throw new AgentLostError(sentence);
		});
		return Promise.race([answer, ended]).catch((error: unknown) => {
			if (this.#rpc.isClosed) return ended;
			throw error;
		});
	}
}
