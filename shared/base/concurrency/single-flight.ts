/** Runs work that must not overlap itself, once more for the calls that arrive during a run. */

interface Flight<T> {
	readonly outcome: Promise<T>;
	/** The next run, for calls since this run began. */
	next?: PromiseWithResolvers<T>;
}

/**
 * Work that does everything there is to do when it begins. A call during a run may be too late for that run: `run`
 * leads to one further run, however many callers there are, and `join` returns the outcome of the run under way.
 * @example
 * ```ts
 * const moves = new SingleFlight(() => moveAll(), (error) => log.warn("Events wait:", error));
 * moves.request(); // Something was written: begins at once, or once more after the run under way.
 * await moves.settled();
 * ```
 */
export class SingleFlight<T = void> {
	readonly #work: () => Promise<T>;
	readonly #onError: (error: unknown) => void;
	#flight: Flight<T> | undefined;

	/**
	 * @param onError Called once for each failed run, in addition to the callers that wait for it. Default: nothing
	 * happens.
	 */
	constructor(work: () => Promise<T>, onError: (error: unknown) => void = () => {}) {
		this.#work = work;
		this.#onError = onError;
	}

	/** Whether a run is under way or due. */
	get isRunning(): boolean {
		return this.#flight !== undefined;
	}

	/** Returns the outcome of a run that begins after the call: at once, or when the run under way is over. */
	run(): Promise<T> {
		if (!this.#flight) return this.#begin();
		this.#flight.next ??= Promise.withResolvers<T>();
		return this.#flight.next.promise;
	}

	/**
	 * Returns the outcome of the run under way, which may have missed the latest change; of a new run when there is
	 * none.
	 */
	join(): Promise<T> {
		return this.#flight?.outcome ?? this.#begin();
	}

	/** Requests a run and does not wait for it; a failure goes to `onError` only. */
	request(): void {
		// While a run is due, many requests cost nothing.
		if (!this.#flight?.next) this.run().catch(() => {});
	}

	/** Resolves when no run is under way or due, whether the runs succeed or fail. */
	async settled(): Promise<void> {
		while (this.#flight) await this.#flight.outcome.catch(() => {});
	}

	#begin(): Promise<T> {
		const { promise: outcome, resolve } = Promise.withResolvers<T>();
		const flight: Flight<T> = { outcome };
		// This precedes the work, which may request another run of itself.
		this.#flight = flight;
		// This precedes the other receivers of the outcome, so that a call made by one of them gets a new run.
		outcome.then(
			() => this.#land(flight),
			(error: unknown) => {
				this.#land(flight);
				this.#onError(error);
			},
		);
		resolve(begun(this.#work));
		return outcome;
	}

	/** Ends the run and begins the next one in one step, so that no caller finds neither. */
	#land({ next }: Flight<T>): void {
		this.#flight = undefined;
		next?.resolve(this.#begin());
	}
}

/** Begins the work; an error that it throws synchronously becomes a rejection. */
async function begun<T>(work: () => Promise<T>): Promise<T> {
	return work();
}
