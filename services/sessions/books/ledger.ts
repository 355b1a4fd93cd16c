/** The ledger: the rows of usage, each report once, numbered without gaps per tenant, and never changed afterwards. */
import { now } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { appendWithoutGaps } from "#shared/store/append-without-gaps.ts";
import { type Documents, maxAppended } from "#shared/store/port/documents.ts";
import { bookedColumns, ledgerCollection, type LedgerRow } from "./ledger-collection.ts";

/** The rows that one account books at a time. */
const pageSize = 500;
const maxWaiting = 10_000;

/** The tenant, owner or session whose rows are read. */
export type LedgerScope =
	| { readonly session: string }
	| { readonly tenant: string; readonly owner?: string; readonly day: string };

interface Waiting {
	readonly row: LedgerRow;
	/** Called when the row is stored; false when its id was taken before. */
	readonly done: (isNew: boolean) => void;
	readonly fail: (error: unknown) => void;
}

/** The ledger of one process; all state beside waiting batches is in the store. */
export class Ledger {
	readonly #store: Documents;
	/** Waiting rows by tenant; the rows that arrive during a batch are the next batch. */
	readonly #waiting = new Map<string, Waiting[]>();
	/**
	 * The tenants whose rows are being written. Each row waits for the outcome of its own batch, so a SingleFlight does
	 * not fit.
	 */
	readonly #writing = new Set<string>();

	constructor(store: Documents) {
		this.#store = store;
	}

	get(id: string): Promise<LedgerRow | undefined> {
		return this.#store.get(ledgerCollection, id);
	}

	/** Adds a row; resolves to the row with this id in the ledger: the given one or an earlier one. */
	async add(row: LedgerRow): Promise<LedgerRow> {
		if (await this.#queue(row)) return row;
		const stored = await this.get(row.id);
		if (!stored) throw new UnavailableError("A report of usage was not stored, try again");
		return stored;
	}

	/** Returns the columns that are booked of a page of the rows after a number, in order. */
	async after(scope: LedgerScope, seq: number): Promise<LedgerRow[]> {
		const from = seq + 1;
		const page = { limit: pageSize, columns: bookedColumns };
		if ("session" in scope)
			return (await this.#store.find(ledgerCollection, "of_session", { equals: [scope.session], from }, page))
				.documents;
		const { tenant, owner, day } = scope;
		if (owner === undefined)
			return (await this.#store.find(ledgerCollection, "of_tenant", { equals: [tenant, day], from }, page)).documents;
		const range = { equals: [tenant, owner, day], from };
		return (await this.#store.find(ledgerCollection, "of_owner", range, page)).documents;
	}

	/** Returns rows that were written at least `ms` ago and that some account may not have booked, the oldest first. */
	async pending(ms: number): Promise<LedgerRow[]> {
		const range = { equals: [], to: now() - ms };
		return (await this.#store.find(ledgerCollection, "pending", range, { limit: pageSize })).documents;
	}

	/** Records that every account has booked the row. */
	async markBooked({ id }: LedgerRow): Promise<void> {
		await this.#store.update(ledgerCollection, id, {}, { unset: ["pending_at"] });
	}

	/** Queues a row; resolves to whether it is new. */
	#queue(row: LedgerRow): Promise<boolean> {
		const { tenant = "" } = row;
		const waiting = this.#waiting.get(tenant) ?? [];
		if (waiting.length >= maxWaiting) throw new UnavailableError("Too many reports of usage wait, try again");
		const isNew = new Promise<boolean>((done, fail) => waiting.push({ row, done, fail }));
		this.#waiting.set(tenant, waiting);
		if (!this.#writing.has(tenant)) void this.#writeAll(tenant);
		return isNew;
	}

	async #writeAll(tenant: string): Promise<void> {
		this.#writing.add(tenant);
		for (;;) {
			const batch = this.#waiting.get(tenant)?.splice(0, maxAppended) ?? [];
			if (batch.length === 0) break;
			await this.#append(tenant, batch).catch((error: unknown) => {
				for (const { fail } of batch) fail(error);
			});
		}
		this.#waiting.delete(tenant);
		this.#writing.delete(tenant);
	}

	/** Writes a batch. A row whose id is taken is stored already; a taken number belongs to another process. */
	async #append(tenant: string, batch: readonly Waiting[]): Promise<void> {
		const log = {
			what: "The ledger",
			newest: () => this.#newest(tenant),
			rowOf: ({ row }: Waiting, seq: number) => ({ ...row, seq }),
			append: (rows: readonly LedgerRow[]) => this.#store.append(ledgerCollection, rows),
			onAppended: ({ done }: Waiting, isNew: boolean) => done(isNew),
		};
		await appendWithoutGaps(log, batch);
	}

	async #newest(tenant: string): Promise<number> {
		const page = { limit: 1, descending: true, columns: ["seq"] as const };
		const { documents } = await this.#store.find(ledgerCollection, "by_seq", { equals: [tenant] }, page);
		return documents[0]?.seq ?? 0;
	}
}
