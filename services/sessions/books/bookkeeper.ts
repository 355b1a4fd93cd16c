/**
 * Brings rows of the ledger into the accounts they belong to: of the session, of its owner's and its tenant's day. An
 * account remembers the number of the newest row it has, in the same write as its sums, so that it may be tried as
 * often as it takes. What a process that died has left is found by a poll.
 */
import { systemPrincipal } from "#shared/bus/principal.ts";
import { now } from "#shared/clock.ts";
import { NotFoundError } from "#shared/errors.ts";
import { failpoint } from "#shared/failpoints.ts";
import { RecurringJob } from "#shared/recurring-job.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { DayAccounts } from "./day-accounts.ts";
import type { Ledger } from "./ledger.ts";
import { bookingOf, type LedgerRow } from "./ledger-collection.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { bookedChange } from "../record/session-budget.ts";

const pollMs = 1_000;

const bookkeeper = systemPrincipal("books");

export interface Books {
	readonly ledger: Ledger;
	readonly records: SessionRecords;
	readonly accounts: DayAccounts;
}

export class Bookkeeper {
	readonly #books: Books;
	readonly #sessions = new KeyedMutex();
	readonly #poll: RecurringJob;

	/** @param report Told why rows that were left cannot be booked now; they are tried again. */
	constructor(books: Books, report: (error: unknown) => void) {
		this.#books = books;
		this.#poll = new RecurringJob({ everyMs: pollMs, work: () => this.#bookLeft(), onError: report });
	}

	start(): void {
		this.#poll.start();
		this.#poll.runNow();
	}

	/** Finishes the round under way. */
	stop(): Promise<void> {
		return this.#poll.stop();
	}

	/** Resolves when every account has the row. */
	async book(row: LedgerRow): Promise<void> {
		const { ledger, accounts } = this.#books;
		const { tenant = "", owner = "", session = "", day = "", pending_at } = row;
		if (pending_at === undefined) return;
		if (session !== "") await this.#bookSession(session);
		failpoint("usage.session-booked");
		await accounts.book({ tenant, owner }, day);
		failpoint("usage.owner-booked");
		await accounts.book({ tenant }, day);
		failpoint("usage.tenant-booked");
		await ledger.settle(row);
	}

	async #bookLeft(): Promise<void> {
		for (const row of await this.#books.ledger.pending(pollMs)) await this.book(row);
	}

	#bookSession(id: string): Promise<void> {
		return this.#sessions.share(id, async () => {
			for (;;) {
				const record = await this.#session(id);
				if (!record) return;
				const booked = record.document.booked ?? 0;
				const rows = await this.#books.ledger.after({ session: id }, booked);
				if (rows.length === 0) return;
				await this.#books.records.change(bookkeeper, id, (current) =>
					(current.document.booked ?? 0) === booked && current.document.status !== "deleted"
						? bookedChange(current, rows.map(bookingOf), now())
						: undefined,
				);
			}
		});
	}

	/** Undefined when it is deleted: its rows stay in the ledger and count for its owner and tenant. */
	async #session(id: string): Promise<SessionRecord | undefined> {
		try {
			const record = await this.#books.records.get(bookkeeper, id);
			return record.document.status === "deleted" ? undefined : record;
		} catch (error) {
			if (error instanceof NotFoundError) return undefined;
			throw error;
		}
	}
}
