/** What there is to tell of the session, in order, until it is on its way to the platform. */
import type { ToldEntry, ToldEvent } from "#shared/contracts/history.ts";

/** Its place in the order is given where it is kept. */
export type RawEvent = Omit<ToldEvent, "sequence">;
/** An entry of the timeline, or a raw event. */
export type TimelineRecord = { entry: ToldEntry } | { event: RawEvent };

/** Records in memory: only a full disk lets so many wait. */
const maxRecords = 5_000;

export class TimelineLog {
	#records: TimelineRecord[] = [];
	#added = 0;

	/** Records that were ever added. */
	get added(): number {
		return this.#added;
	}

	/** Those added after the first `count`, as far as they are still here. */
	after(count: number): readonly TimelineRecord[] {
		const fresh = this.#added - count;
		return fresh <= 0 ? [] : this.#records.slice(-fresh);
	}

	add(...records: readonly TimelineRecord[]): void {
		this.#records = [...this.#records, ...records].slice(-maxRecords);
		this.#added += records.length;
	}
}
