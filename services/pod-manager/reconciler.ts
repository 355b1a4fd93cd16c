/**
 * Keeps the pods as they should be: takes sessions that are due from the sessions service and runs a pass over each.
 * Hints only make it look sooner; it asks every second, so that nothing depends on one arriving.
 */
import { monotonic, sleep } from "#shared/clock.ts";
import type { Claim, PassReport } from "#shared/contracts/session-work.ts";
import { InvalidParametersError } from "#shared/errors.ts";
import { failpoint } from "#shared/failpoints.ts";
import { WakeUp } from "./wake-up.ts";
import { type PassDependencies, runPass } from "./pass.ts";
import { DeduplicatingLog, sentenceOf } from "./deduplicating-log.ts";

const pollMs = 1_000;
/** Between polls while they fail, at most: longer each time. */
const failingPollMs = 4_000;
/** Passes at a time. */
const maxPasses = 16;
/** Sessions remembered as changed: more than a machine has pods. */
const maxChanged = 16_384;
/** The sessions service was asked so lately when all is well. */
const freshMs = 10_000;
/** Polls that may fail before it is worth a line: at start services come up in any order. */
const silentFailures = 4;

/** The sessions service, as far as passes need it. */
export interface Work {
	/** Leases sessions that are due; with `ids` these, due or not. */
	claim(limit: number, ids?: string[]): Promise<Claim[]>;
	/** False when a newer lease exists. */
	observe(report: PassReport): Promise<boolean>;
}

export class Reconciler {
	readonly #dependencies: PassDependencies;
	readonly #work: Work;
	readonly #log: DeduplicatingLog;
	readonly #wakeUp = new WakeUp();
	readonly #stopping = new AbortController();
	/** By session: never two passes over one. */
	readonly #passes = new Map<string, Promise<void>>();
	/** Sessions whose pods changed since they were last claimed. */
	readonly #changed = new Set<string>();
	readonly #loop: Promise<void>;
	/** There may be more that is due than was claimed. */
	#backlog = false;
	#failures = 0;
	/** Monotonic time of the last poll that was answered, and of the last one at all. */
	#askedAt = -Infinity;
	#triedAt = -Infinity;

	/** Starts at once. @param write Gets a sentence for every new kind of trouble. */
	constructor(dependencies: PassDependencies, work: Work, write: (sentence: string) => void) {
		this.#dependencies = dependencies;
		this.#work = work;
		this.#log = new DeduplicatingLog(write);
		dependencies.runtime.watch((sessionId) => this.look(sessionId), this.#stopping.signal);
		this.#wakeUp.signal();
		this.#loop = this.#run();
	}

	/** Some session may be due. */
	hint(): void {
		this.#wakeUp.signal();
	}

	/** The pods of a session may have changed: a pass, due or not. */
	look(sessionId: string): void {
		this.#remember(sessionId);
		this.#wakeUp.signal();
	}

	/** Rejects when commands would not be carried out: nobody has said for some time, or yet, which sessions are due. */
	async check(): Promise<void> {
		if (monotonic() - this.#askedAt > freshMs) throw new Error(`nobody has said for ${freshMs} ms what is due`);
	}

	/** Claims nothing more and waits for the passes under way. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#wakeUp.signal();
		await this.#loop;
		await Promise.all(this.#passes.values());
		this.#wakeUp.cancel();
	}

	async #run(): Promise<void> {
		for (;;) {
			const times = Math.max(0, this.#failures - 1);
			this.#wakeUp.signalWithin(Math.min(pollMs * 2 ** times, failingPollMs));
			await this.#wakeUp.signalled();
			// Who does not answer is asked no sooner because more has happened here.
			if (this.#failures > 0) await sleep(Math.max(0, pollMs - (monotonic() - this.#triedAt)), this.#stopping.signal);
			if (this.#stopping.signal.aborted) return;
			await this.#claim();
		}
	}

	/** What changed and what is due, whatever becomes of the other. */
	async #claim(): Promise<void> {
		this.#triedAt = monotonic();
		const changed = await this.#isAnswered(() => this.#claimChanged());
		const due = await this.#isAnswered(() => this.#claimDue());
		if (due) this.#askedAt = monotonic();
		this.#failures = changed && due ? 0 : this.#failures + 1;
	}

	async #isAnswered(ask: () => Promise<void>): Promise<boolean> {
		try {
			await ask();
			return true;
		} catch (error) {
			if (this.#failures + 1 >= silentFailures) {
				this.#log.tell(`Cannot ask which sessions are due: ${sentenceOf(error)}`);
			}
			return false;
		}
	}

	async #claimChanged(): Promise<void> {
		const ids = [...this.#changed].filter((id) => !this.#passes.has(id)).slice(0, this.#free());
		if (ids.length === 0) return;
		// What changes from here on is another change.
		for (const id of ids) this.#changed.delete(id);
		try {
			await this.#begin(ids.length, ids);
		} catch (error) {
			if (error instanceof InvalidParametersError) return this.#claimEach(ids);
			for (const id of ids) this.#remember(id);
			throw error;
		}
	}

	/** One of them can be no session's id, so it is nobody's change; the others do not wait for it. */
	async #claimEach(ids: readonly string[]): Promise<void> {
		for (const id of ids) {
			await this.#begin(1, [id]).catch((error: unknown) => {
				if (!(error instanceof InvalidParametersError)) this.#remember(id);
			});
		}
	}

	#remember(id: string): void {
		if (this.#changed.size < maxChanged) this.#changed.add(id);
	}

	async #claimDue(): Promise<void> {
		const limit = this.#free();
		this.#backlog = limit === 0 || (await this.#begin(limit)) === limit;
		if (this.#backlog && this.#free() > 0) this.#wakeUp.signal();
	}

	/** Resolves to the number of sessions leased. */
	async #begin(limit: number, ids?: string[]): Promise<number> {
		const since = monotonic();
		const claims = await this.#work.claim(limit, ids);
		for (const claim of claims) {
			// A session may be due again before the answer to its last report is here; that pass ends first.
			const former = this.#passes.get(claim.id) ?? Promise.resolve();
			const pass = former.then(() => this.#pass(claim, since)).finally(() => this.#ended(claim, pass));
			this.#passes.set(claim.id, pass);
		}
		return claims.length;
	}

	#free(): number {
		return maxPasses - this.#passes.size;
	}

	async #pass(claim: Claim, since: number): Promise<void> {
		try {
			failpoint("pod-manager.claimed");
			const { report, trouble } = await runPass(claim, this.#dependencies, since);
			if (trouble !== undefined) this.#tell(claim, trouble);
			if (report) await this.#observe(report);
		} catch (error) {
			this.#tell(claim, error);
		}
	}

	#ended({ id }: Claim, pass: Promise<void>): void {
		if (this.#passes.get(id) !== pass) return;
		this.#passes.delete(id);
		if (this.#backlog || this.#changed.has(id)) this.#wakeUp.signal();
	}

	async #observe(report: PassReport): Promise<void> {
		failpoint("pod-manager.before-observe");
		await this.#work.observe(report);
		if (report.due_in_ms > 0) this.#wakeUp.signalWithin(report.due_in_ms);
	}

	#tell({ id }: Claim, error: unknown): void {
		this.#log.tell(`A pass over session "${id}" failed: ${sentenceOf(error)}`);
	}
}
