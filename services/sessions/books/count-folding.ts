/** Folds the counts of sessions when there are new events: at once in the process that moves events, later in others. */
import { sleep } from "#shared/base/clock.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { SessionCounts } from "./session-counts.ts";

/** The process that moves events has usually folded them after this time, in milliseconds; otherwise this one does. */
const lateMs = 1_000;

/** The folding of one process, which closes it. */
export class CountFolding {
	readonly #folds: SingleFlight;
	readonly #ended = new AbortController();

	/**
	 * @param isFirst Whether this process has to fold at once.
	 * @param onError Receives failures. The counts stay right, because events that are not folded yet are counted from
	 * the log.
	 */
	constructor(counts: SessionCounts, isFirst: () => boolean, onError: (error: unknown) => void) {
		this.#folds = new SingleFlight(async () => {
			if (!isFirst()) await sleep(lateMs, this.#ended.signal);
			if (!this.#ended.signal.aborted) await counts.fold();
		}, onError);
	}

	request(): void {
		if (!this.#ended.signal.aborted) this.#folds.request();
	}

	async close(): Promise<void> {
		this.#ended.abort();
		await this.#folds.settled();
	}
}
