/** The records of the timeline, in order, until they are in a report to the platform. */
import type { ReportedEntry, ReportedEvent } from "#shared/contracts/sessions/history.ts";

/** The spool assigns the sequence number. */
export type RawEvent = Omit<ReportedEvent, "sequence">;
/** A record is an entry of the timeline or a raw event. */
export type TimelineRecord = { entry: ReportedEntry } | { event: RawEvent };

/** The bound on records in memory. So many wait only when the disk is full. */
const maxRecords = 5_000;

export class TimelineLog {
	#records: TimelineRecord[] = [];
	#added = 0;

	/** The number of records that were ever added. */
	get added(): number {
		return this.#added;
	}

	/** Returns the records after the first `count`, as far as they are still in memory. */
	after(count: number): readonly TimelineRecord[] {
		const fresh = this.#added - count;
		return fresh <= 0 ? [] : this.#records.slice(-fresh);
	}

	add(...records: readonly TimelineRecord[]): void {
		this.#records = [...this.#records, ...records].slice(-maxRecords);
		this.#added += records.length;
	}
}
