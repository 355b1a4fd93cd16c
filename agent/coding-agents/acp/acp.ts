/**
 * A coding agent that speaks the Agent Client Protocol, version 1, on its standard input and output
 * (agentclientprotocol.com). Decision 0007 says why the protocol's SDK is not used.
 */
import { after, sleep } from "#shared/base/clock.ts";
import type { PermissionMode } from "#shared/contracts/sessions/session-resource.ts";
import type { AgentProcess } from "../agent-process.ts";
import { AgentLostError, type AgentUpdate, type CodingAgent, type ModeNotice } from "../coding-agent.ts";
import type { CommandTime } from "../command-end.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";
import { JsonRpc, RpcError } from "../../io/json-rpc.ts";
import type { Permissions } from "../permissions.ts";
import { readPermission } from "./acp-permissions.ts";
import { askPerson } from "./acp-questions.ts";
import { AcpModes, type ModeChoices, modeRequest } from "./acp-mode.ts";
import { modelChoice, modelOption } from "./acp-model.ts";
import { readNotice } from "./acp-notices.ts";
import { openSession, type OpeningOptions } from "./acp-opening.ts";
import { AcpToolCalls } from "./acp-tool-calls.ts";
import { readTodos } from "./acp-updates.ts";

/** The properties of the agent and the session that the protocol uses. */
export interface AcpOptions extends Omit<OpeningOptions, "mode"> {
	/** The model to choose; empty leaves the choice to the agent. */
	model: string;
	/** Returns an update of the agent as it is shown. */
	shown: (update: AgentUpdate) => AgentUpdate;
	/** How long an interrupt may take before the agent is ended. The default is 10 s. */
	interruptMs?: number | undefined;
	permissions: Permissions;
}

/** The part of the agent's process that the protocol needs. */
type RunningAgent = Pick<AgentProcess, "input" | "output" | "ended" | "endCommands" | "kill" | "close">;

const protocolVersion = 1;
const initializeMs = 60_000;
const defaultInterruptMs = 10_000;
/** An agent that has closed its output is of no more use, so it has this long to end. */
const silentMs = 3_000;

/** The client offers neither files nor terminals, because agents have their own. */
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
	#offered: ModeChoices = { modes: {}, choices: [] };
	#modes = new AcpModes(this.#offered, "");
	/** The capabilities from the answer to `initialize`. */
	#capabilities: JsonObject = {};
	/** The texts that are sent before the next message. */
	#preamble: readonly string[] = [];
	#wasKilled = false;
	#onUpdate: ((update: AgentUpdate) => void) | undefined;
	#calls = new AcpToolCalls();
	/** The listener of the turn that was cancelled last. */
	#cancelled: ((update: AgentUpdate) => void) | undefined;
	/** The time of the command that was running when the turn was cancelled. */
	#cancelledCommand: CommandTime | undefined;
	/** The listener of the turn for which `session/cancel` was sent last. */
	#cancelSentFor: ((update: AgentUpdate) => void) | undefined;

	private constructor(process: RunningAgent, options: AcpOptions) {
		this.#process = process;
		this.#options = options;
		this.#title = options.record.title;
		this.#rpc = new JsonRpc(process.output, process.input, {
			requests: { "session/request_permission": (params) => this.#permit(params) },
			notifications: { "session/update": (params) => this.#receive(params) },
		});
		void this.#rpc.closed.then(() => {
			options.permissions.cancel();
			after(silentMs, () => process.kill());
		});
	}

	/** Agrees on the protocol. @throws {Error} when the agent has not done so within 60 s. */
	static async connect(process: RunningAgent, options: AcpOptions): Promise<AcpAgent> {
		const agent = new AcpAgent(process, options);
		const { agentInfo, agentCapabilities, protocolVersion: spoken } = await agent.#ask("initialize", hello);
		if (spoken !== protocolVersion) throw new Error(`It speaks version ${String(spoken)} of its protocol`);
		const { title, name } = isJsonObject(agentInfo) ? agentInfo : {};
		agent.#capabilities = isJsonObject(agentCapabilities) ? agentCapabilities : {};
		agent.#title = textOf(title) ?? textOf(name) ?? options.record.title;
		return agent;
	}

	get title(): string {
		return this.#title;
	}

	get ended(): Promise<string> {
		return this.#process.ended;
	}

	get hasModel(): boolean {
		return this.#options.record.has_model;
	}

	get wasKilled(): boolean {
		return this.#wasKilled;
	}

	async open(folder: string): Promise<void> {
		const options = { ...this.#options, mode: this.#ownMode(this.#options.permissions.mode) };
		const opened = await openSession(folder, this.#capabilities, options, (...call) => this.#ask(...call));
		this.#offered = opened;
		this.#sessionId = opened.id;
		this.#preamble = opened.preamble;
		this.#modes = new AcpModes(opened, options.mode, options.record);
		this.#tellMode();
		await this.#chooseModel();
	}

	async setModel(model: string): Promise<void> {
		const option = modelOption(this.#offered.choices);
		if (!option) throw new Error("The coding agent does not let its model be changed");
		const request = { sessionId: this.#sessionId, ...modelChoice(option, model) };
		const { configOptions } = await this.#ask("session/set_config_option", request);
		if (configOptions !== undefined) this.#offered = { ...this.#offered, choices: objectsOf(configOptions) };
	}

	async setPermissionMode(mode: PermissionMode): Promise<void> {
		const own = this.#ownMode(mode);
		// It is enough to remember the mode until the conversation is opened.
		if (own === "" || this.#sessionId === "") return;
		await this.setMode(own);
	}

	async setMode(mode: string): Promise<ModeNotice> {
		const request = this.#modes.offers(mode) ? modeRequest(mode, this.#offered) : undefined;
		if (!request) throw new Error(`The coding agent has no mode "${mode}"; it offers ${this.#modes.names}`);
		await this.#ask(request[0], { sessionId: this.#sessionId, ...request[1] });
		this.#modes.chosen(mode);
		this.#tellMode();
		return this.#modes.notice ?? { type: "mode", id: mode, name: mode, modes: [] };
	}

	async prompt(text: string, onUpdate: (update: AgentUpdate) => void): Promise<string> {
		const { late_update_ms: lateUpdateMs } = this.#options.record;
		const prompt = [...this.#preamble, text].map((part) => ({ type: "text", text: part }));
		this.#preamble = [];
		this.#cancelled = undefined;
		this.#onUpdate = onUpdate;
		this.#calls = new AcpToolCalls();
		try {
			// The agent is asked at once unless a mode was lost, so that a cancellation follows the message.
			if (this.#modes.lost !== undefined) await this.#restoreMode(this.#modes.lost);
			if (this.#isCancelled) return "cancelled";
			const answer = this.#rpc.request("session/prompt", { sessionId: this.#sessionId, prompt });
			const { stopReason } = await this.#orEnded(answer).catch((error: unknown) => this.#unlessCancelled(error));
			if (lateUpdateMs > 0) await sleep(lateUpdateMs);
			if (this.#isCancelled) await this.#endCommands();
			// Some agents report an ordinary end when the turn was cancelled while they waited for a person.
			return this.#cancelSentFor === onUpdate ? "cancelled" : (textOf(stopReason) ?? "end_turn");
		} finally {
			for (const update of this.#calls.closed(this.#isCancelled)) onUpdate(update);
			this.#onUpdate = undefined;
			this.#options.permissions.cancel();
		}
	}

	cancel(): void {
		const turn = this.#onUpdate;
		const { record, log, permissions, interruptMs = defaultInterruptMs } = this.#options;
		const isRepeated = this.#cancelled === turn;
		if (!isRepeated) this.#cancelledCommand = this.#calls.cutCommands();
		this.#cancelled = turn;
		permissions.cancel();
		// An agent that receives the notification twice cancels the next turn too, or fails.
		if (!turn || isRepeated) return;
		// The notification follows the answers to open requests, which are sent in this turn of the event loop. The next
		// turn may have begun by then.
		void sleep(0).then(() => {
			if (this.#onUpdate !== turn) return;
			this.#cancelSentFor = turn;
			this.#rpc.notify("session/cancel", { sessionId: this.#sessionId });
		});
		after(interruptMs, () => {
			if (this.#onUpdate !== turn) return;
			this.#wasKilled = true;
			log.add("WARNING", record.id, "The coding agent did not heed the interrupt, and is ended");
			this.#process.kill();
		});
	}

	close(): Promise<void> {
		return this.#process.close();
	}

	/** Returns the agent's own mode for a permission mode; empty leaves the mode in which the agent starts. */
	#ownMode(mode: PermissionMode): string {
		return this.#options.record.modes[mode];
	}

	/** While a turn is being cancelled, nothing is permitted. */
	async #permit(params: JsonObject): Promise<object> {
		if (this.#isCancelled) return { outcome: { outcome: "cancelled" } };
		const [calls, onUpdate] = [this.#calls, this.#onUpdate];
		const show = (update: AgentUpdate | undefined): void => {
			if (update && this.#onUpdate === onUpdate) onUpdate?.(update);
		};
		const { call, news } = calls.asked(params);
		show(news);
		const wanted = readPermission(call, params["options"]);
		const { optionId, answers } = await askPerson(this.#options.permissions, wanted, call);
		const kind = wanted.options.find(({ option_id }) => option_id === optionId)?.kind ?? "reject_once";
		const isAllowed = !kind.startsWith("reject");
		if (isAllowed && wanted.tool === "switch_mode" && this.#options.permissions.mode === "ask") this.#modes.permit();
		show(calls.answered(call["toolCallId"], isAllowed));
		const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
		return { outcome, ...(answers && { answers }) };
	}

	get #isCancelled(): boolean {
		return this.#cancelled !== undefined && this.#cancelled === this.#onUpdate;
	}

	#receive({ sessionId, update }: JsonObject): void {
		// An update that follows the session's id at once is read before the id is known here.
		const isOurs = this.#sessionId === "" || sessionId === this.#sessionId;
		if (!isOurs || !isJsonObject(update)) return;
		const notice = readNotice(update);
		if (notice) return this.#options.onNotice?.(notice);
		if (this.#readMode(update)) return;
		this.#show(this.#calls.updated(update));
		this.#show(readTodos(update));
	}

	#show(update: AgentUpdate | undefined): void {
		if (update) this.#onUpdate?.(this.#options.shown(update));
	}

	/** Returns whether the update tells a mode only. */
	#readMode(update: JsonObject): boolean {
		const before = this.#modes.notice?.id;
		const isMode = this.#modes.updated(update);
		if (this.#modes.notice?.id !== before) this.#tellMode();
		return isMode;
	}

	#tellMode(): void {
		const { notice } = this.#modes;
		if (notice) this.#options.onNotice?.(notice);
	}

	/** Sets the mode again that the agent has left by itself, so that its plan mode does not refuse later turns. */
	async #restoreMode(lost: string): Promise<void> {
		const { record, log } = this.#options;
		await this.setMode(lost).then(
			() => log.add("INFO", record.id, `The coding agent had changed its mode by itself; "${lost}" is set again`),
			(error: unknown) => log.add("WARNING", record.id, `The mode "${lost}" cannot be set again: ${String(error)}`),
		);
	}

	/** Ends the commands that were running when the turn was cancelled, or that the agent still reports as running. */
	async #endCommands(): Promise<void> {
		const time = this.#cancelledCommand ?? this.#calls.commandTime;
		if (time) await this.#process.endCommands(time);
	}

	/** Chooses the model of the launch if the agent offers a choice. */
	async #chooseModel(): Promise<void> {
		const { model, record, log } = this.#options;
		if (model === "" || !modelOption(this.#offered.choices)) return;
		await this.setModel(model).catch((error: unknown) => {
			if (error instanceof RpcError) throw error;
			log.add("WARNING", record.id, error instanceof Error ? error.message : String(error));
		});
	}

	/** Some agents fail when they are cancelled before the turn has begun. @throws any other error. */
	#unlessCancelled(error: unknown): JsonObject {
		if (error instanceof RpcError && this.#isCancelled) return { stopReason: "cancelled" };
		throw error;
	}

	/** Sends a request that is answered quickly or not at all. */
	async #ask(method: string, params: object): Promise<JsonObject> {
		const late = Promise.withResolvers<never>();
		const timer = after(initializeMs, () => late.reject(new Error("It does not answer")));
		return Promise.race([this.#orEnded(this.#rpc.request(method, params)), late.promise]).finally(() => timer.cancel());
	}

	/** A closed connection has no message of its own, but the end of the process has one. */
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
