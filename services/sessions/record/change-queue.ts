/**
 * Serialises the changes of one document in this process, so that they lose no races against each other: each is a
 * read, a decision and a compare-and-set, of which many concurrent ones would nearly all be repeated (decision 0019).
 */
import { type Principal, principalKey } from "#shared/base/principal.ts";
import { isLate } from "#shared/bus/service.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import { repeatLostRaces } from "#shared/store/lost-races.ts";
import { TimeLimits } from "#shared/base/concurrency/time-limits.ts";

/** The most waiting changes of one principal for one document; more are refused. */
const maxInLine = 64;
/**
 * The most waiting changes of one principal for all documents. This is far below the concurrent calls of one action
 * (256).
 */
const maxWaiting = 128;
/** The longest wait in milliseconds, which leaves time for the change itself. */
const patienceMs = 4_000;
/** The lost races against other processes after which a change is refused. */
const maxRaces = 20;

/** The caller of a change. */
export interface Asker {
	readonly principal: Principal;
	/** The time after which nobody waits for the answer, in milliseconds since 1970; default: none. */
	readonly deadline?: number | undefined;
}

interface Waiting extends Asker {
	/** The key of the principal. */
	readonly who: string;
	/** Called when its turn has come, or with the refusal when it has waited too long. */
	readonly called: (refusal?: Error) => void;
}

/** The queues of one kind of document in this process. */
export class ChangeQueue {
	/** Waiting changes by document; the entry exists, even when empty, while a change is under way. */
	readonly #lines = new Map<string, Waiting[]>();
	/** The counts of waiting changes by principal. */
	readonly #waiting = new Map<string, number>();
	readonly #limits = new TimeLimits();
	readonly #patienceMs: number;

	/** @param options.patienceMs The longest wait in milliseconds; default 4,000. */
	constructor(options: { readonly patienceMs?: number } = {}) {
		this.#patienceMs = options.patienceMs ?? patienceMs;
	}

	/** Whether a change of this document is under way. */
	isBusy(key: string): boolean {
		return this.#lines.has(key);
	}

	/**
	 * Returns the result of `attempt`. The attempt begins when the earlier changes are over, and is repeated while it
	 * resolves to undefined, which says that another process was faster. Jobs of the platform go first and are never
	 * refused.
	 * @throws whatever `attempt` throws; {TooManyRequestsError} when too many changes wait, or this one has waited or
	 * lost races for too long.
	 */
	async run<T>(key: string, asker: Asker, attempt: () => Promise<T | undefined>): Promise<T> {
		const line = this.#lines.get(key);
		if (line) await this.#turn(line, asker);
		else this.#lines.set(key, []);
		try {
			return await repeatLostRaces(attempt, { maxRaces, refusal: busy });
		} finally {
			this.#next(key);
		}
	}

	/** Resolves when it is this caller's turn. */
	async #turn(line: Waiting[], asker: Asker): Promise<void> {
		const { principal } = asker;
		const who = principalKey(principal);
		const isJob = principal.kind === "system";
		const waiting = this.#waiting.get(who) ?? 0;
		if (!isJob && (waiting >= maxWaiting || line.filter((one) => one.who === who).length >= maxInLine)) throw busy();
		this.#waiting.set(who, waiting + 1);
		try {
			await this.#called(line, asker, who);
		} finally {
			const others = (this.#waiting.get(who) ?? 1) - 1;
			if (others > 0) this.#waiting.set(who, others);
			else this.#waiting.delete(who);
		}
	}

	#called(line: Waiting[], asker: Asker, who: string): Promise<void> {
		return new Promise((resolve, reject) => {
			const isJob = asker.principal.kind === "system";
			const limit = isJob
				? undefined
				: this.#limits.begin(this.#patienceMs, () => {
						line.splice(line.indexOf(one), 1);
						one.called(busy());
					});
			const one: Waiting = {
				...asker,
				who,
				called(refusal) {
					limit?.cancel();
					if (refusal) reject(refusal);
					else resolve();
				},
			};
			const behindJobs = isJob ? line.findIndex(({ principal }) => principal.kind !== "system") : -1;
			line.splice(behindJobs === -1 ? line.length : behindJobs, 0, one);
		});
	}

	/** Gives the turn to the next change whose caller still waits. */
	#next(key: string): void {
		const line = this.#lines.get(key) ?? [];
		for (let next = line.shift(); next; next = line.shift()) {
			if (!isLate(next.deadline)) return next.called();
			next.called(busy());
		}
		this.#lines.delete(key);
	}
}

function busy(): TooManyRequestsError {
	return new TooManyRequestsError("Too many changes of this object are under way, try again", "BUSY");
}
