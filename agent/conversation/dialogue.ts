/** Sends the messages to the coding agent, one turn at a time, and stores its answers. */
import { sleep } from "#shared/base/clock.ts";
import type { InterruptState } from "#shared/contracts/sessions/session-control.ts";
import type { ConversationPage, ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { AssistantTurn } from "./assistant-turn.ts";
import { AgentLostError, type CodingAgent } from "../coding-agents/coding-agent.ts";
import type { Conversation } from "./conversation.ts";
import { historyPage } from "#shared/wire/pod/conversation-history.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { TurnFailure } from "./turn-failure.ts";
import type { TurnGate, TurnWatcher } from "./turn-watcher.ts";

/** How long the end of the pod waits for the end of the turn. */
const patienceMs = 2_000;
/** How long an interrupt waits for the end of the turn, which then ends without it. */
const interruptPatienceMs = 2_000;

/** The message that makes the agent go on. */
const goOn =
	"Your last turn was cut off before it was complete, because a budget was used up; there is room again. Go on where you stopped, without repeating what is done.";

/** How a turn ended that is not complete. */
interface FailedTurn extends Omit<TurnFailure, "stopReason"> {
	readonly stopReason: TurnFailure["stopReason"] | "interrupted";
}

interface StartedTurn {
	readonly message: ConversationTurn;
	readonly turn: AssistantTurn;
	/** The agent does not get the message when this has aborted before. */
	readonly interrupted: AbortSignal;
}

export class Dialogue {
	readonly #conversation: Conversation;
	readonly #log: LogBuffer;
	readonly #modelFailure: () => TurnFailure | undefined;
	readonly #watchers: TurnWatcher[] = [];
	readonly #gates: TurnGate[] = [];
	readonly #ending = new AbortController();
	#agent: CodingAgent | undefined;
	#turn: AssistantTurn | undefined;
	/** An interrupt aborts it before the turn has begun. It is undefined when no turn is about to begin. */
	#beginning: AbortController | undefined;
	/** Resolves when the turn that is under way, or about to begin, has ended. */
	#turnOver: Promise<void> = Promise.resolve();
	readonly #work = new SingleFlight(() => this.#answerAll());

	/** @param modelFailure Tells why the last model call of the turn failed or was refused; undefined otherwise. */
	constructor(conversation: Conversation, log: LogBuffer, modelFailure: () => TurnFailure | undefined) {
		this.#conversation = conversation;
		this.#log = log;
		this.#modelFailure = modelFailure;
	}

	watch(watcher: TurnWatcher): void {
		this.#watchers.push(watcher);
	}

	/** Adds a gate. Gates are passed in the order in which they were added. */
	guard(gate: TurnGate): void {
		this.#gates.push(gate);
	}

	/** The number of the agent's turns that are retained. */
	get turnCount(): number {
		return this.#conversation.turns.filter(({ role }) => role === "assistant").length;
	}

	/** Adds a message to the queue. Resolves when it is on disk. @throws {QueueFullError} */
	async accept(id: string, content: string): Promise<void> {
		await this.#conversation.ask(id, content);
		this.#work.request();
	}

	/** Makes this agent answer the messages, until it ends. */
	begin(agent: CodingAgent): void {
		this.#agent = agent;
		void agent.ended.then(() => {
			if (this.#agent === agent) this.#agent = undefined;
		});
		this.#work.request();
	}

	/** The turn that is under way, with its parts so far. */
	get turn(): AssistantTurn | undefined {
		return this.#turn;
	}

	/**
	 * Ends the turn that is under way or about to begin. The next message in the queue is answered afterwards. Resolves
	 * when the turn has ended, but after {@link interruptPatienceMs} at the latest.
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

	/** Ends the dialogue: no other turn begins, and the current one is cancelled. */
	async end(): Promise<void> {
		this.#ending.abort();
		if (!this.#work.isRunning) return;
		this.#agent?.cancel();
		await Promise.race([this.#work.settled(), sleep(patienceMs)]);
	}

	/** @param before The id of a turn; only older turns are returned. */
	history(before?: string): ConversationPage {
		return {
			...historyPage(this.#conversation.turns, before),
			is_active: this.#turn !== undefined,
			last_activity: this.#turn?.lastActivity ?? "",
		};
	}

	async #answerAll(): Promise<void> {
		try {
			for (;;) {
				const message = this.#conversation.next();
				if (this.#isOver || !this.#agent || !message) break;
				await this.#begin(this.#agent, message);
			}
		} catch (error) {
			this.#log.add("ERROR", "session-agent", `A turn cannot be stored: ${String(error)}`);
		}
		this.#tell((watcher) => watcher.rested?.());
	}

	/** Answers the message when every gate is open, unless the dialogue or its agent ends before. */
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
			if (answer.metadata["stop_reason"] === "budget") await this.#goOnLater(message, answer);
		} finally {
			this.#turn = undefined;
		}
	}

	/**
	 * Makes the agent go on with a turn that the budget cut off, when the budget allows it. A message that waits has
	 * precedence, and a continuation that is cut off too is left to a person (docs/decisions/0096-a-cut-turn-says-so.md).
	 */
	async #goOnLater(message: ConversationTurn, { id }: ConversationTurn): Promise<void> {
		if (message.metadata["continues"] !== undefined || this.#conversation.next()) return;
		const continuation = `${id}-continued`;
		await this.#conversation.ask(continuation, goOn, { continues: id });
		this.#tell((watcher) => watcher.queued?.(continuation, goOn));
	}

	async #outcome(agent: CodingAgent, { message, turn, interrupted }: StartedTurn): Promise<ConversationTurn> {
		if (interrupted.aborted) return turn.finish("cancelled");
		// The failure of a turn that was to end anyway is not reported.
		const modelFailure = (): TurnFailure | undefined =>
			interrupted.aborted || this.#isOver ? undefined : this.#modelFailure();
		try {
			const stopReason = await agent.prompt(message.content, (update) => {
				turn.apply(update);
				this.#tell((watcher) => watcher.updated?.(update, turn.isExecuting));
			});
			const failure = modelFailure();
			return failure ? this.#failed(turn, failure) : turn.finish(stopReason);
		} catch (error) {
			if (this.#isOver) return turn.finish("cancelled");
			const own = this.#log.withoutSecrets(error instanceof Error ? error.message : String(error));
			if (error instanceof AgentLostError) return this.#failed(turn, { stopReason: "interrupted", sentence: own });
			return this.#failed(turn, modelFailure() ?? { stopReason: "error", sentence: own });
		}
	}

	#failed(turn: AssistantTurn, { stopReason, sentence }: FailedTurn): ConversationTurn {
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
