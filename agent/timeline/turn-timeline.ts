/** Keeps the timeline by watching the turns, and by looking at the workspace after what may have changed it. */
import { isoTime, sleep } from "#shared/clock.ts";
import type { ConversationTurn } from "#shared/contracts/sessions.ts";
import { type TokenCounts, usedSince } from "#shared/models/token-counts.ts";
import type { AgentUpdate } from "../coding-agents/coding-agent.ts";
import type { TurnGate, TurnWatcher } from "../conversation/turn-watcher.ts";
import { answerRecords, callRecords, commitRecords, fileRecords, messageRecords } from "./records.ts";
import type { TimelineLog } from "./timeline-log.ts";
import { ToolCalls } from "./tool-calls.ts";
import type { Changes } from "./workspace-watch.ts";

/**
 * Before a look: what else changes meanwhile is seen by it too, and a message that follows at once does not compete with
 * git. Starting a program stops this one for some milliseconds.
 */
const pauseMs = 250;
/** Kinds of tool calls that change nothing. */
const readers = new Set(["read", "search", "fetch", "think"]);

export interface TurnTimelineDependencies {
	readonly log: TimelineLog;
	/** What has changed since the last look. */
	readonly look: () => Promise<Changes>;
	/** Resolves when the first look is taken, or will never be. */
	readonly ready: Promise<unknown>;
	/** Tokens metered since the launch; undefined: nobody counts them. */
	readonly metered: () => TokenCounts | undefined;
}

export class TurnTimeline implements TurnWatcher, TurnGate {
	readonly #dependencies: TurnTimelineDependencies;
	#calls = new ToolCalls();
	#turns = 0;
	#meteredBefore: TokenCounts | undefined;
	/** Looks and records, one after the other; it never rejects. */
	#work: Promise<void> = Promise.resolve();
	#isLookComing = false;
	readonly #ending = new AbortController();

	constructor(dependencies: TurnTimelineDependencies) {
		this.#dependencies = dependencies;
	}

	/** Turns that have ended since the launch. */
	get turns(): number {
		return this.#turns;
	}

	/** No turn begins before the first look: its changes would be taken for what was there before. */
	async pass(_message: ConversationTurn, signal: AbortSignal): Promise<void> {
		const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
		await Promise.race([this.#dependencies.ready, aborted]);
	}

	began(message: ConversationTurn): void {
		this.#calls = new ToolCalls();
		this.#meteredBefore = this.#dependencies.metered();
		const at = isoTime();
		this.#next(async () => this.#dependencies.log.add(...messageRecords(message, at)));
	}

	updated(update: AgentUpdate): void {
		const call = update.type === "tool" ? this.#calls.update(update) : undefined;
		if (!call) return;
		const at = isoTime();
		this.#next(async () => this.#dependencies.log.add(...callRecords(call, at)));
		if (!readers.has(call.kind)) this.#lookSoon(at);
	}

	ended(answer: ConversationTurn): void {
		const number = ++this.#turns;
		const tokens = usedSince(this.#meteredBefore, this.#dependencies.metered());
		const at = isoTime();
		this.#lookSoon(at);
		this.#next(async () => this.#dependencies.log.add(...answerRecords(answer, number, at, tokens)));
	}

	/** Takes a last look, and resolves when all is told. */
	async end(): Promise<void> {
		this.#ending.abort();
		this.#lookSoon(isoTime());
		await this.#work;
	}

	/** One that is waited for sees everything that happens until it begins. */
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

	#next(step: () => Promise<void>): void {
		this.#work = this.#work.then(step);
	}
}
