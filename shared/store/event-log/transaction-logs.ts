/**
 * Fills both logs in the transactions of the store: an event has its number, and an audit entry its place in the chain of its
 * tenant, in the order in which the store makes the writes. The newest number and the ends of the chains are in memory.
 */
import type { AuditChains } from "../audit/audit-chains.ts";
import { auditLogCollection } from "../audit/audit-collections.ts";
import { auditType, draftOf } from "../audit/audited-store.ts";
import type { Collection } from "../collection.ts";
import type { CausedEvents, EventLogs, Transaction } from "../port/outbox.ts";
import type { OutboxEntry } from "../port/documents.ts";
import { documentOf, entryKey } from "./event-log.ts";
import { eventLogCollection } from "./event-log-collection.ts";

/** The digits of an id, so that ids are in the order of the numbers; 2⁵³ has 16. */
const digits = 16;

/** The logs of the process that has the store for itself. */
export class TransactionLogs implements EventLogs {
	readonly #audit: AuditChains;
	readonly #onEntered: (seq: number) => void;
	/** The newest number of the log, also in a transaction that is not committed; undefined: it has to be read. */
	#seq: number | undefined;
	/** The newest number of the whole writes of this transaction. */
	#entered: number | undefined;
	/** Whether a transaction has begun that is not committed. */
	#isOpen = false;

	/** @param onEntered Called once for each transaction with events, when they are durable, with the newest number. */
	constructor(audit: AuditChains, onEntered: (seq: number) => void) {
		this.#audit = audit;
		this.#onEntered = onEntered;
	}

	enter(transaction: Transaction, { collection, id, events }: CausedEvents): void {
		let entered = this.#entered;
		for (const entry of events) {
			if (entry.type === auditType) this.#audit.enter(transaction, [draftOf(entryKey(collection, id, entry.n), entry)]);
			else entered = this.#number(transaction, entry);
		}
		this.#entered = entered;
	}

	begin(): void {
		if (this.#isOpen) this.#seq = undefined;
		this.#isOpen = true;
		this.#entered = undefined;
		this.#audit.begin();
	}

	appended({ name }: Collection): void {
		if (name === eventLogCollection.name) this.#seq = undefined;
		if (name === auditLogCollection.name) this.#audit.forget();
	}

	committed(): void {
		const seq = this.#entered;
		this.#isOpen = false;
		this.#audit.committed();
		if (seq !== undefined) this.#onEntered(seq);
	}

	/** Inserts an event behind the newest one, and returns its number. */
	#number(transaction: Transaction, entry: OutboxEntry): number {
		this.#seq ??= transaction.last(eventLogCollection, "by_seq", { equals: [] })?.seq ?? 0;
		const seq = this.#seq + 1;
		transaction.insert(eventLogCollection, documentOf({ key: String(seq).padStart(digits, "0"), entry }, seq));
		this.#seq = seq;
		return seq;
	}
}
