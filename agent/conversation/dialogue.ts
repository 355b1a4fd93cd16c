/** Takes the messages to the coding agent, one turn at a time, and keeps what it answers. */
import { sleep } from "#shared/clock.ts";
import type { InterruptState } from "#shared/contracts/session-control.ts";
import type { ConversationPage, ConversationTurn } from "#shared/contracts/sessions.ts";
import { AssistantTurn } from "./assistant-turn.ts";
import { AgentLostError, type CodingAgent } from "../coding-agents/coding-agent.ts";
import type { Conversation } from "./conversation.ts";
import { historyPage } from "#shared/pod/conversation-history.ts";
import type { LogBuffer } from "../io/log-buffer.ts";
import type { TurnGate, TurnWatcher } from "./turn-watcher.ts";

/** How long the end of a turn is waited for when the pod ends. */
const patienceMs = 2_000;
/** How long whoever interrupts waits for the turn's end; it goes on ending without them. */
const interruptPatienceMs = 2_000;

interface TurnParts {
	readonly message: ConversationTurn;
	readonly turn: AssistantTurn;
	/** An agent that was not yet told of the message is not told any more. */
	readonly interrupted: AbortSignal;
}

export class Dialogue {
	readonly #conversation: Conversation;
	readonly #log: LogBuffer;
	readonly #modelFailure: () => string | undefined;
	readonly #watchers: TurnWatcher[] = [];
	readonly #gates: TurnGate[] = [];
	readonly #ending = new AbortController();
	#agent: CodingAgent | undefined;
	#turn: AssistantTurn | undefined;
	/** Aborted by an interrupt before the turn has begun; undefined: none is about to. */
	#beginning: AbortController | undefined;
	/** Resolves when the turn under way, or about to begin, has ended. */
	#turnOver: Promise<void> = Promise.resolve();
	#work: Promise<void> | undefined;

	/** @param modelFailure Why the last model call of the turn under way failed; undefined unless it did. */
	constructor(conversation: Conversation, log: LogBuffer, modelFailure: () => string | undefined) {
		this.#conversation = conversation;
		this.#log = log;
		this.#modelFailure = modelFailure;
	}

	watch(watcher: TurnWatcher): void {
		this.#watchers.push(watcher);
	}

	/** Gates are passed in the order they were added. */
	guard(gate: TurnGate): void {
		this.#gates.push(gate);
	}

	/** Turns of the agent so far that are kept. */
	get turnCount(): number {
		return this.#conversation.turns.filter(({ role }) => role === "assistant").length;
	}

	/** Resolves when the message is on disk. @throws {QueueFullError} */
	async accept(id: string, content: string): Promise<void> {
		await this.#conversation.ask(id, content);
		this.#wake();
	}

	/** From now on, and until it ends, this agent answers. */
	begin(agent: CodingAgent): void {
		this.#agent = agent;
		void agent.ended.then(() => {
			if (this.#agent === agent) this.#agent = undefined;
		});
		this.#wake();
	}

	/** What is being answered now, as far as it has come. */
	get turn(): AssistantTurn | undefined {
		return this.#turn;
	}

	/**
	 * Ends the turn under way, or the one that is about to begin; those who wait behind it are answered next. Resolves when
	 * it has ended, or soon.
	 */
	async interrupt(): Promise<InterruptState> {
		this.#agent?.cancel();
		if ((!this.#turn && !this.#beginning) || !this.#agent) return "idle";
		this.#log.add("INFO", "session-agent", "A person interrupts the turn");
		this.#beginning?.abort();
		const over = this.#turnOver.then((): InterruptState => "interrupted");
		const late = sleep(interruptPatienceMs).then((): InterruptState => "interrupting");
		return Promise.race([over, late]);
	}

	/** Begins no other turn, and cancels the one under way. */
	async end(): Promise<void> {
		this.#ending.abort();
		if (!this.#work) return;
		this.#agent?.cancel();
		await Promise.race([this.#work, sleep(patienceMs)]);
	}

	/** @param before Id of a turn: only older ones. */
	history(before?: string): ConversationPage {
		return {
			...historyPage(this.#conversation.turns, before),
			is_active: this.#turn !== undefined,
			last_activity: this.#turn?.lastActivity ?? "",
		};
	}

	#wake(): void {
		this.#work ??= this.#answerAll()
			.catch((error: unknown) => this.#log.add("ERROR", "session-agent", `A turn cannot be kept: ${String(error)}`))
			.finally(() => this.#tell((watcher) => watcher.rested?.()));
	}

	async #answerAll(): Promise<void> {
		// So that `#work` is set before this can be over.
		await Promise.resolve();
		try {
			for (;;) {
				const message = this.#conversation.next();
				if (this.#isOver || !this.#agent || !message) return;
				await this.#begin(this.#agent, message);
			}
		} finally {
			// In the same breath as the last look: a message that comes any later wakes anew.
			this.#work = undefined;
		}
	}

	/** Answers it when every gate is open, unless the dialogue or its agent ends before. */
	async #begin(agent: CodingAgent, message: ConversationTurn): Promise<void> {
		const beginning = new AbortController();
		const over = Promise.withResolvers<void>();
		this.#beginning = beginning;
		this.#turnOver = over.promise;
		try {
			const signal = AbortSignal.any([this.#ending.signal, beginning.signal]);
			for (const gate of this.#gates) await gate.pass(message, signal).catch(() => {});
			if (!this.#isOver && this.#agent === agent) await this.#answer(agent, message, beginning.signal);
		} finally {
			this.#beginning = undefined;
			over.resolve();
		}
	}

	async #answer(agent: CodingAgent, message: ConversationTurn, interrupted: AbortSignal): Promise<void> {
		await this.#conversation.start(message.id);
		const turn = new AssistantTurn(message.id);
		this.#turn = turn;
		this.#tell((watcher) => watcher.began?.(message));
		try {
			const answer = await this.#outcome(agent, { message, turn, interrupted });
			await this.#conversation.answer(answer);
			this.#tell((watcher) => watcher.ended?.(answer));
		} finally {
			this.#turn = undefined;
		}
	}

	async #outcome(agent: CodingAgent, { message, turn, interrupted }: TurnParts): Promise<ConversationTurn> {
		if (interrupted.aborted) return turn.finish("cancelled");
		// Nobody asks why a turn fails that was to end.
		const modelFailure = (): string | undefined =>
			interrupted.aborted || this.#isOver ? undefined : this.#modelFailure();
		try {
			const stopReason = await agent.prompt(message.content, (update) => {
				turn.apply(update);
				this.#tell((watcher) => watcher.updated?.(update, turn.isExecuting));
			});
			const failure = modelFailure();
			return failure === undefined ? turn.finish(stopReason) : this.#failed(turn, "error", failure);
		} catch (error) {
			if (this.#isOver) return turn.finish("cancelled");
			const own = this.#log.withoutSecrets(error instanceof Error ? error.message : String(error));
			if (error instanceof AgentLostError) return this.#failed(turn, "interrupted", own);
			return this.#failed(turn, "error", modelFailure() ?? own);
		}
	}

	#failed(turn: AssistantTurn, stopReason: "error" | "interrupted", sentence: string): ConversationTurn {
		this.#log.add("ERROR", "session-agent", `The turn failed: ${sentence}`);
		return turn.finish(stopReason, sentence);
	}

	#tell(what: (watcher: TurnWatcher) => void): void {
		for (const watcher of this.#watchers) what(watcher);
	}

	get #isOver(): boolean {
		return this.#ending.signal.aborted;
	}
}
