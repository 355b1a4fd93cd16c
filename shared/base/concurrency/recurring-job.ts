/**
 * Runs work in the background at an interval. Runs never overlap: while one takes longer than the interval, the next
 * ones are skipped.
 */
import { every, type Timer } from "../clock.ts";
import { SingleFlight } from "./single-flight.ts";

/** The work of one {@link RecurringJob} and its interval. */
export interface RecurringWork {
	readonly everyMs: number;
	readonly work: () => Promise<unknown>;
	/** Receives each failure; the job goes on with its next run. */
	readonly onError: (error: unknown) => void;
}

/** A job that its creator starts and has to stop. */
export class RecurringJob {
	readonly #everyMs: number;
	readonly #runs: SingleFlight<unknown>;
	#timer: Timer | undefined;

	constructor({ everyMs, work, onError }: RecurringWork) {
		this.#everyMs = everyMs;
		this.#runs = new SingleFlight(work, onError);
	}

	/** Begins the interval; the first run is after `everyMs`. */
	start(): void {
		this.#timer = every(this.#everyMs, () => this.runNow());
	}

	/** Runs the work at once; does nothing while a run is under way. */
	runNow(): void {
		if (!this.#runs.isRunning) this.#runs.request();
	}

	/** Ends the interval and resolves when a run under way has finished. */
	async stop(): Promise<void> {
		this.#timer?.cancel();
		await this.#runs.settled();
	}
}
