/** An event log in memory on the bus, which a test can fill, cut, restart and make unreachable. */
import type { ServiceBroker, ServiceSchema } from "moleculer";
import { now } from "#shared/base/clock.ts";
import { implement, publish } from "#shared/bus/service.ts";
import { eventLog, logAppended, type LogEntry } from "#shared/contracts/event-log.ts";
import { UnavailableError } from "#shared/base/errors.ts";

const maxAnswerBytes = 600_000;

export type NewEntry = Omit<LogEntry, "seq" | "at"> & Partial<Pick<LogEntry, "at">>;

export class MemoryEventLog {
	epoch = "e1";
	/** The broker for hints; without it readers find new entries by polling each second. */
	hints: ServiceBroker | undefined;
	isReachable = true;
	/** The number of an entry that is withheld, as if its write were not visible yet. */
	hidden: number | undefined;
	#entries: LogEntry[] = [];
	#dropped = 0;

	get seq(): number {
		return this.#dropped + this.#entries.length;
	}

	append(...entries: readonly NewEntry[]): void {
		for (const entry of entries) this.#entries.push({ at: now(), ...entry, seq: this.seq + 1 });
		if (this.hints) void publish(this.hints, logAppended, { seq: this.seq });
	}

	/** Removes all entries up to this number. */
	dropUpTo(seq: number): void {
		this.#entries = this.#entries.slice(seq - this.#dropped);
		this.#dropped = seq;
	}

	/** Restarts the log with another epoch; its next entry is number `seq + 1`. */
	restart(epoch: string, seq = 0): void {
		this.epoch = epoch;
		this.#entries = [];
		this.#dropped = seq;
	}

	service(): ServiceSchema {
		return {
			name: eventLog.name,
			actions: implement(eventLog, {
				head: async () => {
					this.#refuse();
					return { epoch: this.epoch, seq: this.seq, oldest: this.#dropped + 1 };
				},
				read: async ({ after, limit }) => {
					this.#refuse();
					const from = Math.max(0, after - this.#dropped);
					return this.#readable(this.#entries.slice(from, from + limit));
				},
			}),
		};
	}

	/** Returns the entries before a withheld one, as many as fit into an answer on the bus. */
	#readable(entries: readonly LogEntry[]): LogEntry[] {
		let bytes = 0;
		const end = entries.findIndex(({ seq, data }, index) => {
			bytes += data.length;
			return seq === this.hidden || (index > 0 && bytes > maxAnswerBytes);
		});
		return entries.slice(0, end === -1 ? entries.length : end);
	}

	#refuse(): void {
		if (!this.isReachable) throw new UnavailableError("The log cannot be reached");
	}
}
