/**
 * Keeps programs that were started ahead of sessions, so that a new session finds its program loaded. They have no identity until
 * they get a launch. One is started at a time, and none while sessions are being created.
 */
import { after, type Timer } from "#shared/base/clock.ts";
import { type BackoffRule, backoffMs } from "#shared/base/concurrency/backoff.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";

/**
 * The pause after a launch before another program is started, in milliseconds, because a session that is being created
 * needs the processor more.
 */
const quietMs = 1_500;
/** The pauses after programs that could not be started or ended by themselves, so that a broken one is not started over and over. */
const again: BackoffRule = { firstMs: 4_000, maxMs: 60_000 };

/** A program that is loaded and has no session. */
export interface WaitingProgram {
	/** Resolves when it cannot get a session any more. */
	readonly ended: Promise<unknown>;
}

/** The way in which the programs of a pool are started and ended. */
export interface WaitingKind<Program extends WaitingProgram> {
	/** Resolves to a program that is loaded. Nothing is left of one that could not be started. @throws {Error} also when the signal aborts. */
	start(signal: AbortSignal): Promise<Program>;
	/** Ends a program that gets no session, with all that belongs to it. It never throws, and takes some seconds at most. */
	end(program: Program): Promise<void>;
	/** Resolves to the last words of a program that has ended, or to nothing. Absent: nobody keeps them. It never throws. */
	lastWords?(program: Program): Promise<string>;
}

/** Owns the waiting programs of one process. */
export class WaitingPool<Program extends WaitingProgram> {
	readonly #kind: WaitingKind<Program>;
	readonly #wanted: number;
	#programs: Program[] = [];
	/** The ends that are under way. */
	readonly #ending = new Set<Promise<void>>();
	#signal: AbortSignal = AbortSignal.abort();
	#refill: Timer | undefined;
	readonly #filling = new SingleFlight(() => this.#fill());
	#failures = 0;
	#failure: unknown;

	/** @param wanted The count of waiting programs. */
	constructor(kind: WaitingKind<Program>, wanted: number) {
		this.#kind = kind;
		this.#wanted = wanted;
	}

	/** Maintains the waiting programs until the signal aborts. */
	keep(signal: AbortSignal): void {
		this.#signal = signal;
		signal.addEventListener("abort", () => this.#endAll());
		this.#refillIn(quietMs);
	}

	/** Why the last program could not be started, or has ended; undefined since one waits. */
	get failure(): unknown {
		return this.#failure;
	}

	get size(): number {
		return this.#programs.length;
	}

	/** The program that has waited longest, which the next call of {@link take} returns. */
	get first(): Program | undefined {
		return this.#programs[0];
	}

	/** Returns the program that has waited longest, which is the caller's from now on; undefined when none waits. */
	take(): Program | undefined {
		const taken = this.#programs.shift();
		if (taken) this.#failures = 0;
		// Launches would put the next try off again and again after a failure.
		if (this.#failures === 0) this.#refillIn(quietMs);
		return taken;
	}

	/** Ends all programs that wait; others are started in their place. */
	replaceAll(): void {
		this.#refillIn(quietMs);
		this.#discard(this.#programs.splice(0));
	}

	/** Resolves after the signal has aborted, when no program is left. */
	async close(): Promise<void> {
		await this.#filling.settled();
		this.#endAll();
		await Promise.all(this.#ending);
	}

	#refillIn(ms: number): void {
		this.#refill?.cancel();
		if (!this.#signal.aborted) this.#refill = after(ms, () => this.#filling.request());
	}

	async #fill(): Promise<void> {
		if (this.#signal.aborted || this.#programs.length >= this.#wanted) return;
		try {
			this.#add(await this.#kind.start(this.#signal));
		} catch (error) {
			this.#failed(error);
		}
	}

	#add(program: Program): void {
		this.#programs.push(program);
		this.#failure = undefined;
		void program.ended.then(() => this.#lost(program));
		if (this.#signal.aborted) this.#endAll();
		else this.#refillIn(quietMs);
	}

	#lost(program: Program): void {
		if (!this.#programs.includes(program)) return;
		this.#programs = this.#programs.filter((other) => other !== program);
		this.#follow(this.#endLost(program));
	}

	async #endLost(program: Program): Promise<void> {
		const words = (await this.#kind.lastWords?.(program)) ?? "";
		this.#failed(new Error(`One that waited has ended${words === "" ? "" : `: ${words}`}`));
		await this.#kind.end(program);
	}

	#failed(error: unknown): void {
		if (this.#signal.aborted) return;
		this.#failure = error;
		this.#refillIn(backoffMs(++this.#failures, again));
	}

	#endAll(): void {
		this.#refill?.cancel();
		this.#discard(this.#programs.splice(0));
	}

	#discard(programs: readonly Program[]): void {
		for (const program of programs) this.#follow(this.#kind.end(program));
	}

	#follow(end: Promise<void>): void {
		const ending = end.finally(() => this.#ending.delete(ending));
		this.#ending.add(ending);
	}
}
