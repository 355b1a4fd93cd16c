/** Takes the messages to the coding agent, one turn at a time, and keeps what it answers. */
import { sleep } from "#shared/clock.ts";
import type { InterruptState } from "#shared/contracts/session-control.ts";
import type { Conversation as History, ConversationTurn } from "#shared/contracts/sessions.ts";
import { AssistantTurn } from "./assistant-turn.ts";
import { AgentLostError, type CodingAgent } from "./coding-agent.ts";
import type { Conversation } from "./conversation.ts";
import { historyPage } from "#shared/pod/conversation-history.ts";
import type { LogBuffer } from "./log-buffer.ts";
import type { TurnGate, TurnWatcher } from "./turn-watcher.ts";

/** How long the end of a turn is waited for when the pod ends. */
const patienceMs = 2_000;
/** How long whoever interrupts waits for the turn's end; it goes on ending without them. */
const interruptPatienceMs = 2_000;

export class Dialogue {
	readonly #conversation: Conversation;
	readonly #log: LogBuffer;
	readonly #watchers: TurnWatcher[] = [];
	readonly #gates: TurnGate[] = [];
	readonly #ending = new AbortController();
	#agent: CodingAgent | undefined;
	#turn: AssistantTurn | undefined;
	/** Resolves when the turn under way has ended. */
	#turnOver: Promise<void> = Promise.resolve();
	#work: Promise<void> | undefined;

	constructor(conversation: Conversation, log: LogBuffer) {
		this.#conversation = conversation;
		this.#log = log;
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

	/** Ends the turn under way; those who wait behind it are answered next. Resolves when it has ended, or soon. */
	async interrupt(): Promise<InterruptState> {
		const turn = this.#turn;
		this.#agent?.cancel();
		if (!turn || !this.#agent) return "idle";
		this.#log.add("INFO", "session-agent", "A person interrupts the turn");
		await Promise.race([this.#turnOver, sleep(interruptPatienceMs)]);
		return this.#turn === turn ? "interrupting" : "interrupted";
	}

	/** Begins no other turn, and cancels the one under way. */
	async end(): Promise<void> {
		this.#ending.abort();
		if (!this.#work) return;
		this.#agent?.cancel();
		await Promise.race([this.#work, sleep(patienceMs)]);
	}

	/** @param before Id of a turn: only older ones. */
	history(before?: string): History {
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
				if (await this.#mayBegin(message)) await this.#answer(this.#agent, message);
			}
		} finally {
			// In the same breath as the last look: a message that comes any later wakes anew.
			this.#work = undefined;
		}
	}

	/** False when the dialogue ends, or its agent, before every gate is open. */
	async #mayBegin(message: ConversationTurn): Promise<boolean> {
		for (const gate of this.#gates) await gate.pass(message, this.#ending.signal).catch(() => {});
		return !this.#isOver && this.#agent !== undefined;
	}

	async #answer(agent: CodingAgent, message: ConversationTurn): Promise<void> {
		await this.#conversation.start(message.id);
		const turn = new AssistantTurn(message.id);
		const over = Promise.withResolvers<void>();
		this.#turn = turn;
		this.#turnOver = over.promise;
		this.#tell((watcher) => watcher.began?.(message));
		try {
			const answer = await this.#outcome(agent, message.content, turn);
			await this.#conversation.answer(answer);
			this.#tell((watcher) => watcher.ended?.(answer));
		} finally {
			this.#turn = undefined;
			over.resolve();
		}
	}

	async #outcome(agent: CodingAgent, content: string, turn: AssistantTurn): Promise<ConversationTurn> {
		try {
			const stopReason = await agent.prompt(content, (update) => {
				turn.apply(update);
				this.#tell((watcher) => watcher.updated?.(update, turn.isExecuting));
			});
			return turn.finish(stopReason);
		} catch (error) {
			if (this.#isOver) return turn.finish("cancelled");
			const sentence = this.#log.withoutSecrets(error instanceof Error ? error.message : String(error));
			this.#log.add("ERROR", "session-agent", `The turn failed: ${sentence}`);
			return turn.finish(error instanceof AgentLostError ? "interrupted" : "error", sentence);
		}
	}

	#tell(what: (watcher: TurnWatcher) => void): void {
		for (const watcher of this.#watchers) what(watcher);
	}

	get #isOver(): boolean {
		return this.#ending.signal.aborted;
	}
}
