/** Work that is never done twice at a time, and done once more for those who asked while it was under way. */

interface Flight<T> {
	readonly outcome: Promise<T>;
	/** For those who asked since it began. */
	next?: PromiseWithResolvers<T>;
}

/**
 * Work that does whatever there is to do when it begins. Who asks while it is under way may be too late for it: `run`
 * leads to one further run, however many ask for it, and `join` takes what the run under way gives.
 * @example
 * const moves = new SingleFlight(() => moveAll(), (error) => log.warn("Events wait:", error));
 * moves.request(); // Something was written: begins at once, or once more after the run under way.
 * await moves.settled();
 */
export class SingleFlight<T = void> {
	readonly #work: () => Promise<T>;
	readonly #onError: (error: unknown) => void;
	#flight: Flight<T> | undefined;

	/** @param onError Called once for each run that fails, beside those who wait for it. Default: nothing happens. */
	constructor(work: () => Promise<T>, onError: (error: unknown) => void = () => {}) {
		this.#work = work;
		this.#onError = onError;
	}

	/** Whether a run is under way or due. */
	get isRunning(): boolean {
		return this.#flight !== undefined;
	}

	/** The outcome of a run that begins after the call: at once, or when the run under way is over. */
	run(): Promise<T> {
		if (!this.#flight) return this.#begin();
		this.#flight.next ??= Promise.withResolvers<T>();
		return this.#flight.next.promise;
	}

	/** The outcome of the run under way, which may have looked already; of a new run when there is none. */
	join(): Promise<T> {
		return this.#flight?.outcome ?? this.#begin();
	}

	/** Asks for a run and does not wait for it; a failure goes to `onError` only. */
	request(): void {
		this.run().catch(() => {});
	}

	/** Resolves when no run is under way or due, whatever became of them. */
	async settled(): Promise<void> {
		while (this.#flight) await this.#flight.outcome.catch(() => {});
	}

	#begin(): Promise<T> {
		const { promise: outcome, resolve } = Promise.withResolvers<T>();
		const flight: Flight<T> = { outcome };
		// Before the work begins: it may ask for a run of itself.
		this.#flight = flight;
		// Before anybody else can wait for the outcome: who asks anew when it is there gets a new run.
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

	/** In one step, so that nobody finds neither this run nor the next one. */
	#land({ next }: Flight<T>): void {
		this.#flight = undefined;
		next?.resolve(this.#begin());
	}
}

/** Work that fails before it waits for anything fails like any other. */
async function begun<T>(work: () => Promise<T>): Promise<T> {
	return work();
}
