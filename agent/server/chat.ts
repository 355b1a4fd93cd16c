/** The live conversation: handles the frames of clients, and sends them what happens (docs/chat.md). */
import { isDeepStrictEqual } from "node:util";
import { randomUUID } from "node:crypto";
import type {
	InterruptState,
	PermissionAnswered,
	PermissionRequest,
} from "#shared/contracts/sessions/session-control.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { ModelTerms } from "#shared/wire/models/model-wire.ts";
import { type TokenCounts, totalTokens, usedSince } from "#shared/wire/models/token-counts.ts";
import type { ErrorFrame, PodFrame } from "#shared/wire/pod/frames.ts";
import type { AgentKeeper } from "../coding-agents/agent-keeper.ts";
import { type ChatCommand, FrameError, readCommand, splitFrame, typeOf } from "./chat-commands.ts";
import type { AgentUpdate, ChatNotice } from "../coding-agents/coding-agent.ts";
import { QueueFullError } from "../conversation/conversation.ts";
import type { Dialogue } from "../conversation/dialogue.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import type { Permissions, PermissionWatcher } from "../coding-agents/permissions.ts";
import { TurnFrames } from "./turn-frames.ts";
import type { TurnWatcher } from "../conversation/turn-watcher.ts";

export interface ChatDependencies {
	readonly sessionId: string;
	/** The session's model at its launch; empty when it has none. */
	readonly model: string;
	readonly dialogue: Pick<Dialogue, "accept" | "history" | "interrupt" | "turn" | "turnCount">;
	readonly permissions: Permissions;
	/** The methods reject with a sentence. */
	readonly agent: Pick<AgentKeeper, "setModel" | "setMode" | "setPermissionMode">;
	/** The proxy through which the agent reaches the session's model; undefined when the agent reaches one itself. */
	readonly proxy: { use(terms: ModelTerms): Promise<boolean> } | undefined;
	/**
	 * The tokens since the launch, of the model calls that have ended (`total`) and with what is known of the calls under
	 * way (`soFar`); undefined when they are not counted.
	 */
	readonly meter: { readonly total: TokenCounts | undefined; readonly soFar: TokenCounts | undefined };
	/** Returns the US dollars for these tokens; undefined when the model has no price. */
	readonly costOf: (used: TokenCounts) => number | undefined;
}

export type Send = (frame: PodFrame) => void;

/** Sends the frames of the turns and permissions to all clients, and carries out the frames of clients. */
export class Chat implements TurnWatcher, PermissionWatcher {
	readonly #dependencies: ChatDependencies;
	readonly #notices = new Map<ChatNotice["type"], PodFrame>();
	#frames = new TurnFrames();
	#meteredBefore: TokenCounts | undefined;
	#model: string | undefined;
	#broadcast: Send = () => {};

	constructor(dependencies: ChatDependencies) {
		this.#dependencies = dependencies;
		this.#model = dependencies.model || undefined;
	}

	/** The model that answers now; undefined when there is none. */
	get model(): string | undefined {
		return this.#model;
	}

	get isInTurn(): boolean {
		return this.#dependencies.dialogue.turn !== undefined;
	}

	/** The usage of the current turn that providers have reported; undefined while there is none. */
	get usedSoFar(): TokenCounts | undefined {
		const used = usedSince(this.#meteredBefore, this.#dependencies.meter.soFar);
		return used && totalTokens(used) > 0 ? used : undefined;
	}

	/** Sends everything that happens to `broadcast` from then on. */
	attach(broadcast: Send): void {
		this.#broadcast = broadcast;
	}

	/** Yields the first frames of a new client, after which it gets the same frames as all others. */
	*greeting(): Generator<PodFrame> {
		const { sessionId, dialogue, permissions } = this.#dependencies;
		yield { type: "system", content: `Connected to session ${sessionId}`, permission_mode: permissions.mode };
		const { turns, truncated } = dialogue.history();
		if (turns.length > 0) yield { type: "conversation_history", turns, truncated };
		yield* this.#notices.values();
		if (dialogue.turn) yield* this.#frames.missed(dialogue.turn);
		for (const request of permissions.open) yield { type: "control_request", ...request };
	}

	/** Carries out a client's frame; `reply` sends to that client only. It never rejects. */
	async receive(text: string, reply: Send): Promise<void> {
		try {
			await Promise.all(splitFrame(text).map((frame) => this.#obey(frame, reply)));
		} catch (error) {
			reply({ ...errorFrame(sentenceOf(error)), refused: "frame" });
		}
	}

	began(): void {
		this.#frames = new TurnFrames();
		this.#meteredBefore = this.#dependencies.meter.total;
		const { turn } = this.#dependencies.dialogue;
		if (turn) this.#tell(this.#frames.began(turn));
	}

	updated(update: AgentUpdate): void {
		this.#tell(this.#frames.updated(update));
	}

	ended(answer: ConversationTurn): void {
		const { error, in_reply_to } = answer.metadata;
		if (typeof error === "string") this.#broadcast(errorFrame(error, String(in_reply_to)));
		const { dialogue, meter, costOf } = this.#dependencies;
		const tokens = usedSince(this.#meteredBefore, meter.total);
		this.#tell(this.#frames.ended(answer, dialogue.turnCount, tokens && { tokens, cost: costOf(tokens) }));
	}

	queued(id: string, content: string): void {
		this.#broadcast({ type: "user_confirmed", id, content });
	}

	asked(request: PermissionRequest): void {
		this.#broadcast({ type: "control_request", ...request });
	}

	answered(answer: PermissionAnswered): void {
		this.#broadcast({ type: "permission_answered", ...answer });
	}

	notice(notice: ChatNotice): void {
		const frame = noticeFrame(notice);
		this.#notices.set(notice.type, frame);
		this.#broadcast(frame);
	}

	/**
	 * Uses another model for further calls, and tells all clients. An agent that reaches a model without the platform is
	 * asked to change it.
	 * @returns False when the model takes effect with the next launch.
	 */
	async changeModel(terms: ModelTerms): Promise<boolean> {
		const { proxy, agent } = this.#dependencies;
		if (proxy) {
			if (!(await proxy.use(terms))) return false;
		} else {
			const isOffered = await agent.setModel(terms.model).then(
				() => true,
				() => false,
			);
			if (!isOffered) return false;
		}
		this.#tellModel(terms.model);
		return true;
	}

	#tell(frames: readonly PodFrame[]): void {
		for (const frame of frames) this.#broadcast(frame);
	}

	async #obey(frame: JsonObject, reply: Send): Promise<void> {
		const id = typeof frame["id"] === "string" ? frame["id"] : undefined;
		try {
			const command = readCommand(frame);
			if (command) await this.#execute(command, reply);
		} catch (error) {
			reply({ ...errorFrame(sentenceOf(error), id), refused: typeOf(frame) });
		}
	}

	async #execute(command: ChatCommand, reply: Send): Promise<void> {
		const { dialogue, agent } = this.#dependencies;
		switch (command.type) {
			case "user":
				return this.#accept(command.id ?? randomUUID(), command.content);
			case "permission_response":
				return this.#respond(command);
			case "interrupt":
				return reply({ type: "interrupted", status: (await dialogue.interrupt()) satisfies InterruptState });
			case "set_model":
				if (this.#dependencies.proxy) throw new FrameError(`The model "${command.model}" is not in the catalogue`);
				await agent.setModel(command.model);
				return this.#tellModel(command.model);
			case "set_mode":
				return void (await agent.setMode(command.mode));
			case "set_permission_mode":
				await agent.setPermissionMode(command.mode);
				return this.#broadcast({ type: "permission_mode", mode: command.mode });
		}
	}

	#tellModel(model: string): void {
		this.#model = model;
		this.#broadcast({ type: "model", model });
	}

	async #accept(id: string, content: string): Promise<void> {
		try {
			await this.#dependencies.dialogue.accept(id, content);
		} catch (error) {
			throw new FrameError(error instanceof QueueFullError ? error.message : "The message cannot be stored");
		}
		this.queued(id, content);
	}

	/** @throws {FrameError} when the input was changed, because the agent would run the original one. */
	#respond({ request_id, behavior, option_id, input }: Extract<ChatCommand, { type: "permission_response" }>): void {
		const request = this.#dependencies.permissions.open.find((open) => open.request_id === request_id);
		if (request && input && behavior !== "deny" && !isDeepStrictEqual(request.input, { ...input })) {
			throw new FrameError("What a tool is given cannot be changed: allow it as it is, or deny it");
		}
		this.#dependencies.permissions.answer(request_id, { behavior, option_id });
	}
}

function noticeFrame(notice: ChatNotice): PodFrame {
	if (notice.type !== "commands") return notice;
	const { commands } = notice;
	return { type: "available_commands", slash_commands: commands.map(({ name }) => name), skills: [], commands };
}

/** Some clients read `content`, and some read `error`. */
function errorFrame(sentence: string, id?: string): ErrorFrame {
	return { type: "error", content: sentence, error: sentence, ...(id !== undefined && { id }) };
}

function sentenceOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
