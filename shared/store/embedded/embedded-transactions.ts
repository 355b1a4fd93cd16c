/** Transactions of the embedded store. A write and the entries of its events in the logs are one step of a transaction. */
import type { Collection, Columns, Document } from "../collection.ts";
import type { CausedEvents, EventLogs, Transaction, Transactions } from "../port/outbox.ts";
import type { OutboxEntry, Range } from "../port/documents.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { indexQuery } from "../index-query.ts";
import type { WriteQueue } from "./write-queue.ts";
import { duplicateKey, type EmbeddedDatabase } from "./embedded-database.ts";
import { pageSelection } from "./embedded-reads.ts";
import { documentOf } from "./embedded-sql.ts";
import { insertion } from "./embedded-writes.ts";
import { UndoneStep } from "./undone-step.ts";

const lastFirst = { descending: true, limit: 1 } as const;

export class EmbeddedTransactions implements Transactions {
	readonly #queue: WriteQueue;
	readonly #steps: EmbeddedSteps;
	/** Absent: events wait in the outboxes of their documents. */
	#logs: EventLogs | undefined;

	constructor(database: EmbeddedDatabase, queue: WriteQueue) {
		this.#queue = queue;
		this.#steps = new EmbeddedSteps(database);
	}

	async enterEvents(logs: EventLogs): Promise<void> {
		await this.#queue.fill(logs);
		this.#logs = logs;
	}

	run<T>(step: (transaction: Transaction) => T): Promise<T> {
		return this.#queue.add(() => undoable(() => step(this.#steps)));
	}

	/** Returns those of a write's events that wait in the outbox of its document. */
	readonly waiting = (events: readonly OutboxEntry[]): readonly OutboxEntry[] => (this.#logs ? [] : events);

	/**
	 * Runs a write of one statement, and enters its events unless its result is undefined. @throws {UndoneStep} when they cannot be
	 * entered; then the write is undone too.
	 */
	entering<T>(caused: CausedEvents | undefined, write: () => T): T {
		const logs = this.#logs;
		const outcome = write();
		if (!logs || !caused || caused.events.length === 0 || outcome === undefined) return outcome;
		return undoable(() => {
			failpoint("store.changed");
			logs.enter(this.#steps, caused);
			return outcome;
		});
	}

	appended(collection: Collection): void {
		this.#logs?.appended(collection);
	}
}

/** Runs what writes several documents. @throws {UndoneStep} */
function undoable<T>(step: () => T): T {
	try {
		return step();
	} catch (error) {
		throw new UndoneStep(error);
	}
}

/** The reads and writes of steps, which run inside the transaction that is open. */
class EmbeddedSteps implements Transaction {
	readonly #database: EmbeddedDatabase;

	constructor(database: EmbeddedDatabase) {
		this.#database = database;
	}

	insert<C extends Columns>(collection: Collection<C>, document: Document<C>): void {
		try {
			this.#database.run(insertion(collection, document, []));
		} catch (error) {
			throw duplicateKey(collection, error) ?? error;
		}
	}

	last<C extends Columns, I extends string>(
		collection: Collection<C, Readonly<Record<I, { columns: readonly string[] }>>>,
		index: NoInfer<I>,
		range: Range,
	): Document<C> | undefined {
		const row = this.#database.first(pageSelection(collection, indexQuery(collection, index, range), lastFirst));
		return row && documentOf(collection, row);
	}
}
