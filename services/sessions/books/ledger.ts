/** The ledger: the rows of usage, each report once, numbered without gaps per tenant, and never changed afterwards. */
import { bound } from "#shared/base/bounds.ts";
import { now } from "#shared/base/clock.ts";
import { ConflictError, UnavailableError } from "#shared/base/errors.ts";
import { GatheredWork } from "#shared/base/concurrency/gathered-work.ts";
import { appendWithoutGaps } from "#shared/store/append-without-gaps.ts";
import { type Documents, maxAppended } from "#shared/store/port/documents.ts";
import { bookedColumns, ledgerCollection, type LedgerRow } from "./ledger-collection.ts";

const pageSize = 500;

type LedgerScope =
	| { readonly session: string }
	| { readonly tenant: string; readonly owner?: string; readonly day: string };

/** The ledger of one process; all state beside waiting batches is in the store. */
export class Ledger {
	readonly #store: Documents;
	/** The rows of a tenant that arrive during a write are the next one; their outcomes say whether they are new, or throw. */
	readonly #added = new GatheredWork<LedgerRow, () => boolean>((tenant, rows) => this.#append(tenant, rows), {
		most: maxAppended,
	});

	constructor(store: Documents) {
		this.#store = store;
	}

	get(id: string): Promise<LedgerRow | undefined> {
		return this.#store.get(ledgerCollection, id);
	}

	/**
	 * Adds a row; resolves to the row with this id in the ledger: the given one or an earlier one.
	 * @throws {ConflictError} when the id was used for another row.
	 */
	async add(row: LedgerRow): Promise<LedgerRow> {
		const { tenant = "" } = row;
		if (this.#added.waiting(tenant) >= bound.waitingReports)
			throw new UnavailableError("Too many reports of usage wait, try again");
		if ((await this.#added.run(tenant, row))()) return row;
		const stored = await this.get(row.id);
		if (!stored) throw new UnavailableError("A report of usage was not stored, try again");
		const noun = row.source === "correction" ? "correction" : "report";
		if (stored.fingerprint !== row.fingerprint)
			throw new ConflictError(`The id "${stored.report_id}" was used for another ${noun}`, "REPORT_ID_REUSED");
		return stored;
	}

	/** Returns the columns that are booked of a page of the rows after a number, in order. */
	async after(scope: LedgerScope, seq: number): Promise<LedgerRow[]> {
		const [index, equals] = placeOf(scope);
		const page = { limit: pageSize, columns: bookedColumns };
		return (await this.#store.find(ledgerCollection, index, { equals, from: seq + 1 }, page)).documents;
	}

	/** Returns rows that were written at least `ms` ago and that some account may not have booked, the oldest first. */
	async pending(ms: number): Promise<LedgerRow[]> {
		const range = { equals: [], to: now() - ms };
		return (await this.#store.find(ledgerCollection, "pending", range, { limit: pageSize })).documents;
	}

	async markBooked({ id }: LedgerRow): Promise<void> {
		await this.#store.update(ledgerCollection, id, {}, { unset: ["pending_at"] });
	}

	/** Writes rows. One whose id is taken is stored already; a taken number belongs to another process. */
	async #append(tenant: string, added: readonly LedgerRow[]): Promise<readonly (() => boolean)[]> {
		const outcomes: (() => boolean)[] = [];
		const log = {
			what: "The ledger",
			newest: () => this.#newest(tenant),
			rowOf: (row: LedgerRow, seq: number) => ({ ...row, seq }),
			append: (rows: readonly LedgerRow[]) => this.#store.append(ledgerCollection, rows),
			onAppended: (_row: LedgerRow, isNew: boolean) => void outcomes.push(() => isNew),
		};
		await appendWithoutGaps(log, added).catch((error: unknown) => {
			for (const _row of added.slice(outcomes.length))
				outcomes.push(() => {
					throw error;
				});
		});
		return outcomes;
	}

	async #newest(tenant: string): Promise<number> {
		const page = { limit: 1, descending: true, columns: ["seq"] as const };
		const { documents } = await this.#store.find(ledgerCollection, "by_seq", { equals: [tenant] }, page);
		return documents[0]?.seq ?? 0;
	}
}

/** Returns the index and its values that find the rows of a scope. */
function placeOf(scope: LedgerScope): ["of_session" | "of_tenant" | "of_owner", string[]] {
	if ("session" in scope) return ["of_session", [scope.session]];
	const { tenant, owner, day } = scope;
	return owner === undefined ? ["of_tenant", [tenant, day]] : ["of_owner", [tenant, owner, day]];
}
