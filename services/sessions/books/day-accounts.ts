/** The accounts of users and tenants, one per day: the spent and the held amounts, and the used tokens. */
import { isoTime, now } from "#shared/clock.ts";
import { UnavailableError } from "#shared/errors.ts";
import type { Document } from "#shared/store/collection.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import {
	type Account,
	accountOf,
	columnsOf,
	lowered,
	missing,
	raised,
	type HoldRequest,
	withoutEnded,
	withSpendings,
} from "../record/account.ts";
import { dayAccountCollection } from "./collections.ts";
import type { Ledger } from "./ledger.ts";
import { isMoney, type LedgerRow, spendingOf } from "./ledger-collection.ts";
import { KeyedMutex } from "../record/keyed-mutex.ts";

type DayDocument = Document<(typeof dayAccountCollection)["columns"]>;

/** A tenant, or a user of a tenant. */
export interface Payer {
	readonly tenant: string;
	readonly owner?: string;
}

/** The sums of one account. */
export interface DayTotals {
	readonly localTokens: number;
	readonly cloudTokens: number;
	readonly spent: number;
	readonly committed: number;
}

/** The subject of the sentence for a change that has lost too many races. */
const what = "An account";
/** The most concurrent holds of one payer. */
const maxHolds = 2_000;

/** Returns the day in UTC, e.g. `2026-11-21`. */
export function dayOf(at: number): string {
	return isoTime(at).slice(0, 10);
}

/** The repository of accounts. */
export class DayAccounts {
	readonly #store: DocumentStore;
	readonly #ledger: Ledger;
	readonly #turns = new KeyedMutex();

	constructor(store: DocumentStore, ledger: Ledger) {
		this.#store = store;
		this.#ledger = ledger;
	}

	/** Books all rows up to the newest one of the ledger. */
	book(payer: Payer, day: string): Promise<void> {
		return this.#turns.share(idOf(payer, day), async () => {
			let isMore = true;
			while (isMore) isMore = await this.#bookPage(payer, day);
		});
	}

	/** Returns the exact sums, including rows that are not booked yet. */
	async totals(payer: Payer, day: string): Promise<DayTotals> {
		let document = (await this.#store.get(dayAccountCollection, idOf(payer, day))) ?? emptyAccount(idOf(payer, day));
		for (;;) {
			const rows = await this.#ledger.after({ ...payer, day }, document.booked ?? 0);
			if (rows.length === 0) break;
			document = { ...document, ...withRows(document, rows) };
		}
		const { spent, committed } = withoutEnded(accountOf(document), now());
		return { localTokens: document.local_tokens ?? 0, cloudTokens: document.cloud_tokens ?? 0, spent, committed };
	}

	/** Returns the amount by which the account's hold would have to be raised, and the committed amount. */
	async missing(payer: Payer, day: string, wanted: HoldRequest): Promise<{ by: number; committed: number }> {
		const account = withoutEnded(accountOf(await this.#document(idOf(payer, day))), now());
		return { by: missing(account, wanted), committed: account.committed };
	}

	/** Raises the hold to the requested amount. Resolves to the added amount; undefined when it exceeds the limit. */
	hold(payer: Payer, day: string, limit: number, wanted: HoldRequest): Promise<number | undefined> {
		return this.#oneByOne(payer, day, async (id) => {
			const decided = await compareAndSet({
				what,
				read: () => this.#document(id),
				decide: (document) => heldFor(wanted, document, now()),
				write: async (document, held) => {
					const limited = await this.#limited(document, limit);
					return limited && this.#writeHold(limited, held);
				},
			});
			return decided?.written === "held" ? decided.decision.by : undefined;
		});
	}

	/** Releases a hold, or a part of it. */
	release(payer: Payer, day: string, hold: string, by?: number): Promise<void> {
		return this.#oneByOne(payer, day, async (id) => {
			await compareAndSet({
				what,
				read: async () => (await this.#store.get(dayAccountCollection, id)) ?? emptyAccount(id),
				decide: (document) => {
					const account = accountOf(document);
					return account.holds.some((one) => one.id === hold) ? lowered(account, hold, by) : undefined;
				},
				write: (document, account) => this.#write(document, columnsOf(account)),
			});
		});
	}

	/** Books one page of rows; returns whether there were any, because there may then be more. */
	async #bookPage(payer: Payer, day: string): Promise<boolean> {
		const decided = await compareAndSet({
			what,
			read: async () => {
				const document = await this.#document(idOf(payer, day));
				return { document, rows: await this.#ledger.after({ ...payer, day }, document.booked ?? 0) };
			},
			decide: ({ document, rows }) => (rows.length === 0 ? undefined : withRows(document, rows)),
			write: ({ document }, set) => this.#write(document, set),
		});
		return decided !== undefined;
	}

	/** Writes a hold; undefined when another writer has changed the document. */
	async #writeHold(document: DayDocument, { after, by, plus }: Held): Promise<"held" | "too large" | undefined> {
		const fits = by > 0 ? ({ column: "committed_micros", plus, limit: "limit_micros" } as const) : undefined;
		if (await this.#write(document, columnsOf(after), fits)) return "held";
		return (await this.#document(document.id)).rev === document.rev ? "too large" : undefined;
	}

	/** Returns the document with this limit; undefined when another writer has changed it. */
	async #limited(document: DayDocument, limit: number): Promise<DayDocument | undefined> {
		return document.limit_micros === limit ? document : this.#write(document, { limit_micros: limit });
	}

	async #document(id: string): Promise<DayDocument> {
		const found = await this.#store.get(dayAccountCollection, id);
		if (found) return found;
		const first = emptyAccount(id);
		const isFirst = await insertOnce(() => this.#store.insert(dayAccountCollection, first));
		return isFirst ? first : this.#document(id);
	}

	/** Writes the account; undefined when another writer has changed it, or a limit would be exceeded. */
	#write(
		{ id, rev = 0 }: DayDocument,
		set: Partial<DayDocument>,
		fits?: { column: "committed_micros"; plus: number; limit: "limit_micros" },
	): Promise<DayDocument | undefined> {
		const guard = { equals: { rev }, ...(fits && { fits }) };
		return this.#store.update(dayAccountCollection, id, guard, { set: { ...set, rev: rev + 1 } });
	}

	#oneByOne<T>(payer: Payer, day: string, work: (id: string) => Promise<T>): Promise<T> {
		const id = idOf(payer, day);
		return this.#turns.run(id, () => work(id));
	}
}

function idOf({ tenant, owner }: Payer, day: string): string {
	return JSON.stringify(owner === undefined ? [tenant, day] : [tenant, owner, day]);
}

function emptyAccount(id: string): DayDocument {
	const account: Account = { booked: 0, spent: 0, committed: 0, holds: [] };
	return { id, wire: "{}", rev: 1, ...columnsOf(account), local_tokens: 0, cloud_tokens: 0 };
}

/** An account with a raised hold. */
interface Held {
	readonly after: Account;
	/** The amount by which the hold is raised. */
	readonly by: number;
	/** The increase of the committed amount, which takes expired holds into account. */
	readonly plus: number;
}

/** Returns the account with the raised hold. @throws {UnavailableError} when the account has too many holds. */
function heldFor(wanted: HoldRequest, document: DayDocument, at: number): Held {
	const former = accountOf(document);
	const account = withoutEnded(former, at);
	if (account.holds.length >= maxHolds) throw new UnavailableError("Too many turns are under way, try again");
	const by = missing(account, wanted);
	const after = raised(account, wanted.id, by, at);
	return { after, by, plus: after.committed - former.committed };
}

function withRows(document: DayDocument, rows: readonly LedgerRow[]) {
	const tokensOf = (where: string) =>
		rows.filter(isMoney).reduce((sum, { provider, tokens = 0 }) => (provider === where ? sum + tokens : sum), 0);
	return {
		...columnsOf(withSpendings(accountOf(document), rows.map(spendingOf))),
		local_tokens: (document.local_tokens ?? 0) + tokensOf("local"),
		cloud_tokens: (document.cloud_tokens ?? 0) + tokensOf("cloud"),
	};
}
