/** Work that is done again and again in the background, and never twice at a time: a slow one is not hurried. */
import { every, type Timer } from "./clock.ts";

export interface RecurringWork {
	readonly everyMs: number;
	readonly work: () => Promise<unknown>;
	/** Hears of each failure; the next time comes all the same. */
	readonly onError: (error: unknown) => void;
}

export class RecurringJob {
	readonly #job: RecurringWork;
	#timer: Timer | undefined;
	#underWay: Promise<void> | undefined;

	constructor(job: RecurringWork) {
		this.#job = job;
	}

	/** For the first time after `everyMs`. */
	start(): void {
		this.#timer = every(this.#job.everyMs, () => this.runNow());
	}

	/** Without waiting for its time; nothing while it is under way. */
	runNow(): void {
		this.#underWay ??= this.#run().finally(() => {
			this.#underWay = undefined;
		});
	}

	/** Finishes what is under way. */
	async stop(): Promise<void> {
		this.#timer?.cancel();
		await this.#underWay;
	}

	async #run(): Promise<void> {
		try {
			await this.#job.work();
		} catch (error) {
			this.#job.onError(error);
		}
	}
}
