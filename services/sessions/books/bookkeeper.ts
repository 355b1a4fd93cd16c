/**
 * Books rows of the ledger in their accounts: of the session, and of its owner's and its tenant's day. An account
 * stores the number of its newest row in the same write as its sums, so booking may be repeated any number of times. A
 * poll finds rows that a dead process has left unbooked.
 */
import { systemPrincipal } from "#shared/base/principal.ts";
import { now, sleep } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { GatheredWork } from "#shared/base/concurrency/gathered-work.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { writtenTogether } from "#shared/store/event-log/written-together.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { DayAccounts } from "./day-accounts.ts";
import type { Ledger } from "./ledger.ts";
import { bookingOf, type LedgerRow } from "./ledger-collection.ts";
import { bookedChange } from "../record/session-budget.ts";

const pollMs = 1_000;
const marksAtOnce = 64;
/** The time in which marks gather, because nobody waits for their removal and each commit costs, in milliseconds. */
const marksGatherMs = 100;
/** The interval of the removal of ended holds. */
const sweepMs = 600_000;

const bookkeeper = systemPrincipal("books");

interface Books {
	readonly ledger: Ledger;
	readonly records: SessionRecords;
	readonly accounts: DayAccounts;
}

/** The booking of one process. The sessions part starts and stops it. */
export class Bookkeeper {
	readonly #books: Books;
	readonly #sessions = new GatheredWork<void, void>((id) => this.#bookSession(id));
	readonly #poll: RecurringJob;
	readonly #sweep: RecurringJob;
	/** Booked rows whose marks are to be removed. */
	readonly #booked: LedgerRow[] = [];
	readonly #marking: SingleFlight;

	/** @param report Receives the reason why unbooked rows cannot be booked now; they are tried again. */
	constructor(books: Books, report: (error: unknown) => void) {
		this.#books = books;
		this.#poll = new RecurringJob({ everyMs: pollMs, work: () => this.#bookPending(), onError: report });
		this.#sweep = new RecurringJob({ everyMs: sweepMs, work: () => books.accounts.sweep(), onError: report });
		this.#marking = new SingleFlight(() => this.#markAll(), report);
	}

	start(): void {
		this.#poll.start();
		this.#sweep.start();
		this.#poll.runNow();
	}

	/** Ends the poll and the removal; resolves when all work under way is over. */
	async stop(): Promise<void> {
		await Promise.all([this.#poll.stop(), this.#sweep.stop()]);
		await this.#marking.settled();
	}

	/**
	 * Resolves when every account has the row. The accounts are written together, because none depends on another. The
	 * mark is removed afterwards: where that fails, the poll books the row again, which changes nothing.
	 */
	async book(row: LedgerRow): Promise<void> {
		const { accounts } = this.#books;
		const { tenant = "", owner = "", session = "", day = "", pending_at } = row;
		if (pending_at === undefined) return;
		await writtenTogether([
			this.#sessions.run(session).then(() => failpoint("usage.session-booked")),
			accounts.book({ tenant, owner }, day).then(() => failpoint("usage.owner-booked")),
			accounts.book({ tenant }, day).then(() => failpoint("usage.tenant-booked")),
		]);
		this.#booked.push(row);
		this.#marking.request();
	}

	async #markAll(): Promise<void> {
		await sleep(marksGatherMs);
		while (this.#booked.length > 0) {
			const rows = this.#booked.splice(0, marksAtOnce);
			await Promise.all(rows.map((row) => this.#books.ledger.markBooked(row)));
		}
	}

	async #bookPending(): Promise<void> {
		for (const row of await this.#books.ledger.pending(pollMs)) await this.book(row);
	}

	/** Books the rows of a session. @param id Empty for rows that belong to no session. */
	async #bookSession(id: string): Promise<void> {
		while (id !== "") {
			const booked = await this.#books.records.booked(id);
			// The rows of a deleted session still count for its owner and tenant.
			if (booked === undefined) return;
			const rows = await this.#books.ledger.after({ session: id }, booked);
			if (rows.length === 0) return;
			await this.#books.records.change(bookkeeper, id, (current) =>
				(current.document.booked ?? 0) === booked && current.document.status !== "deleted"
					? bookedChange(current, rows.map(bookingOf), now())
					: undefined,
			);
		}
	}
}
