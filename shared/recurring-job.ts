/** Work that is done again and again in the background, and never twice at a time: a slow one is not hurried. */
import { every, type Timer } from "./clock.ts";
import { SingleFlight } from "./single-flight.ts";

export interface RecurringWork {
	readonly everyMs: number;
	readonly work: () => Promise<unknown>;
	/** Hears of each failure; the next time comes all the same. */
	readonly onError: (error: unknown) => void;
}

export class RecurringJob {
	readonly #everyMs: number;
	readonly #runs: SingleFlight<unknown>;
	#timer: Timer | undefined;

	constructor({ everyMs, work, onError }: RecurringWork) {
		this.#everyMs = everyMs;
		this.#runs = new SingleFlight(work, onError);
	}

	/** For the first time after `everyMs`. */
	start(): void {
		this.#timer = every(this.#everyMs, () => this.runNow());
	}

	/** Without waiting for its time; nothing while it is under way. */
	runNow(): void {
		if (!this.#runs.isRunning) this.#runs.request();
	}

	/** Finishes what is under way. */
	async stop(): Promise<void> {
		this.#timer?.cancel();
		await this.#runs.settled();
	}
}
