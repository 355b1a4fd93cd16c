/**
 * Changes of one thing, one after the other in this process, so that they lose no races against each other: each is a
 * read, a decision and a compare-and-set, of which a crowd at once would repeat nearly all (decision 0019).
 */
import { type Principal, principalKey } from "#shared/bus/principal.ts";
import { isLate } from "#shared/bus/service.ts";
import { TooManyRequestsError } from "#shared/errors.ts";
import { repeatLostRaces } from "#shared/store/lost-races.ts";
import { TimeLimits } from "#shared/time-limits.ts";

/** Changes of one principal that wait for one thing; more are refused. */
const maxInLine = 64;
/** Changes of one principal that wait for anything. Far fewer than the calls of one action that run at once (256). */
const maxWaiting = 128;
/** Longest wait, so that there is time left for the change itself. */
const patienceMs = 4_000;
/** Races lost to other processes after which a change is given back. */
const maxRaces = 20;

/** Who wants a change. */
export interface Asker {
	readonly principal: Principal;
	/** Milliseconds since 1970 after which nobody waits for the answer; default: somebody does. */
	readonly deadline?: number | undefined;
}

interface Waiting extends Asker {
	/** Names the principal. */
	readonly who: string;
	/** Its turn has come, or it has waited for too long. */
	readonly called: (refusal?: Error) => void;
}

export class ChangeQueue {
	/** By what is changed; there is a line, though perhaps an empty one, while a change is under way. */
	readonly #lines = new Map<string, Waiting[]>();
	/** By principal, in all lines. */
	readonly #waiting = new Map<string, number>();
	readonly #limits = new TimeLimits();
	readonly #patienceMs: number;

	/** @param options.patienceMs Longest wait; default 4,000. */
	constructor(options: { readonly patienceMs?: number } = {}) {
		this.#patienceMs = options.patienceMs ?? patienceMs;
	}

	/** Whether a change of this thing is under way. */
	isBusy(key: string): boolean {
		return this.#lines.has(key);
	}

	/**
	 * What `attempt` gives. It is begun when the changes before it are over, and again for as long as it gives undefined,
	 * which says that another process was faster. Jobs of the platform go first and are never refused.
	 * @throws whatever `attempt` throws; {TooManyRequestsError} when too many wait, or it has waited or lost for too long.
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

	/** Resolves when it is this asker's turn. */
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
			const left = (this.#waiting.get(who) ?? 1) - 1;
			if (left > 0) this.#waiting.set(who, left);
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

	/** Gives the turn to the next for whom somebody still waits. */
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
	return new TooManyRequestsError("Too many changes of this are under way, try again", "BUSY");
}
