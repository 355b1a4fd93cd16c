/** Records the turns in the timeline, and looks at the workspace after everything that may have changed it. */
import { aborted } from "#shared/base/concurrency/aborted.ts";
import { isoTime, sleep } from "#shared/base/clock.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { type TokenCounts, usedSince } from "#shared/wire/models/token-counts.ts";
import type { AgentUpdate } from "../coding-agents/coding-agent.ts";
import type { PermissionWatcher } from "../coding-agents/permissions.ts";
import type { TurnGate, TurnWatcher } from "../conversation/turn-watcher.ts";
import { answerRecords, callRecords, commitRecords, fileRecords, messageRecords, noteRecords } from "./records.ts";
import type { TimelineLog, TimelineRecord } from "./timeline-log.ts";
import { ToolCalls } from "./tool-calls.ts";
import type { Changes } from "./workspace-watch.ts";

/**
 * The pause before a look. The look also sees what changes meanwhile, and a message that follows at once does not
 * compete with git: starting a program stops this process for some milliseconds.
 */
const pauseMs = 250;
/** The kinds of tool calls that change nothing. */
const readers = new Set(["read", "search", "fetch", "think"]);

export interface TurnTimelineDependencies {
	readonly log: TimelineLog;
	/** Resolves with what has changed since the last look. */
	readonly look: () => Promise<Changes>;
	/** Resolves when the first look was taken or has been given up. */
	readonly ready: Promise<unknown>;
	/** Tells the tokens that were metered since the launch; undefined when they are not counted. */
	readonly metered: () => TokenCounts | undefined;
}

/** Follows the turns. It is also a gate, because the first turn waits for the first look. */
export class TurnTimeline implements TurnWatcher, TurnGate, PermissionWatcher {
	readonly #dependencies: TurnTimelineDependencies;
	#calls = new ToolCalls();
	#turns = 0;
	#meteredBefore: TokenCounts | undefined;
	/** The queue of looks and records, which run one after the other; it never rejects. */
	#work: Promise<void> = Promise.resolve();
	#isLookComing = false;
	readonly #ending = new AbortController();

	constructor(dependencies: TurnTimelineDependencies) {
		this.#dependencies = dependencies;
	}

	/** The number of turns that have ended since the launch. */
	get turns(): number {
		return this.#turns;
	}

	/** Waits for the first look: changes of an earlier turn would be mistaken for files that were there before. */
	async pass(_message: ConversationTurn, signal: AbortSignal): Promise<void> {
		await Promise.race([this.#dependencies.ready, aborted(signal)]);
	}

	began(message: ConversationTurn): void {
		this.#calls = new ToolCalls();
		this.#meteredBefore = this.#dependencies.metered();
		this.#record(messageRecords(message, isoTime()));
	}

	updated(update: AgentUpdate): void {
		const call = update.type === "tool" ? this.#calls.update(update) : undefined;
		if (!call) return;
		const at = isoTime();
		this.#record(callRecords(call, at));
		if (!readers.has(call.kind)) this.#lookSoon(at);
	}

	ended(answer: ConversationTurn): void {
		const number = ++this.#turns;
		const tokens = usedSince(this.#meteredBefore, this.#dependencies.metered());
		const at = isoTime();
		this.#lookSoon(at);
		this.#record(answerRecords(answer, number, at, tokens));
	}

	/** Records that nobody made a choice of the agent. */
	unanswered(sentence: string): void {
		this.note(sentence);
	}

	/** Records something about the session that is part of no answer. */
	note(sentence: string): void {
		this.#record(noteRecords(sentence, isoTime()));
	}

	/** Takes a last look, and resolves when everything is recorded. */
	async end(): Promise<void> {
		this.#ending.abort();
		this.#lookSoon(isoTime());
		await this.#work;
	}

	/** Plans a look unless one waits already, because a look sees everything that happens before it begins. */
	#lookSoon(at: string): void {
		if (this.#isLookComing) return;
		this.#isLookComing = true;
		this.#next(async () => {
			await this.#dependencies.ready;
			await sleep(pauseMs, this.#ending.signal);
			this.#isLookComing = false;
			const { files, commits } = await this.#dependencies.look();
			this.#dependencies.log.add(...fileRecords(files, at), ...commitRecords(commits, at));
		});
	}

	#record(records: readonly TimelineRecord[]): void {
		this.#next(async () => this.#dependencies.log.add(...records));
	}

	#next(step: () => Promise<void>): void {
		this.#work = this.#work.then(step);
	}
}
