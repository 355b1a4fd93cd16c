/**
 * The accounts of users and tenants, one per day: the spent and the held amounts, and the used tokens. They are no kind of
 * ResourceRecords, because limits guard their amounts.
 */
import { isoTime, now } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { GatheredWork } from "#shared/base/concurrency/gathered-work.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import {
	type Account,
	accountOf,
	columnsOf,
	holdId,
	type HoldRequest,
	missing,
	withoutEnded,
} from "../record/account.ts";
import { dayAccountCollection } from "./collections.ts";
import {
	type AccountRequest,
	type ChangedAccount,
	changedBy,
	type DayDocument,
	hasRoom,
	withoutEndedParked,
	withRows,
} from "./day-account-changes.ts";
import { DayHolds } from "./day-holds.ts";
import type { Ledger } from "./ledger.ts";
import { type LedgerRow, spendingOf } from "./ledger-collection.ts";
import { bounded, parkedSumOf, parkingOf, unparked } from "./parked-holds.ts";

/** A tenant, or a user of a tenant. */
export interface Payer {
	readonly tenant: string;
	readonly owner?: string;
}

/** A request for a hold, and the time after which nobody waits for it, in milliseconds since 1970. */
export interface TimedHoldRequest extends HoldRequest {
	readonly deadline?: number | undefined;
}

interface DayTotals {
	readonly localTokens: number;
	readonly cloudTokens: number;
	/** The amount that counts towards the limit. */
	readonly spent: number;
	readonly committed: number;
	/** The reported cost that was never reserved in this account; 0 for users. */
	readonly unreserved: number;
}

/** The most requests that one write of an account does. */
const gathered = 32;

/** The subject of the sentence for a change that has lost too many races. */
const what = "An account";

/** Returns the day in UTC, e.g. `2026-11-21`. */
export function dayOf(at: number): string {
	return isoTime(at).slice(0, 10);
}

/** Returns the outcome of a request: the added amount, or undefined when it exceeds the limit; throws its error. */
type Outcome = () => number | undefined;

export class DayAccounts {
	readonly #store: Documents;
	readonly #ledger: Ledger;
	readonly #parked: DayHolds;
	readonly #turns = new KeyedQueues();
	readonly #changes = new GatheredWork<AccountRequest, Outcome>((id, requests) => this.#changeAll(id, requests), {
		most: gathered,
		turns: this.#turns,
	});
	readonly #bookings = new GatheredWork<[Payer, string], void>(
		async (id, [first]) => first && this.#bookAll(id, ...first),
		{
			turns: this.#turns,
		},
	);

	constructor(store: Documents, ledger: Ledger) {
		this.#store = store;
		this.#ledger = ledger;
		this.#parked = new DayHolds(store);
	}

	/** Books all rows up to the newest one of the ledger. */
	book(payer: Payer, day: string): Promise<void> {
		return this.#bookings.run(idOf(payer, day), [payer, day]);
	}

	/** Returns the exact sums, including rows that are not booked yet. */
	async totals(payer: Payer, day: string): Promise<DayTotals> {
		const id = idOf(payer, day);
		let document = await this.#present((await this.#store.get(dayAccountCollection, id)) ?? emptyAccount(id));
		for (;;) {
			const rows = await this.#ledger.after({ ...payer, day }, document.booked ?? 0);
			if (rows.length === 0) break;
			document = await this.#unparked(document, holdsOf(rows));
			document = { ...document, ...withRows(document, rows, isShared(payer)) };
		}
		const { spent, committed } = withoutEnded(accountOf(document), now());
		const {
			local_tokens: localTokens = 0,
			cloud_tokens: cloudTokens = 0,
			unreserved_micros: unreserved = 0,
		} = document;
		return { localTokens, cloudTokens, spent, committed, unreserved };
	}

	/** Returns the amount by which the account's hold would have to be raised, and the committed amount. */
	async missing(payer: Payer, day: string, wanted: HoldRequest): Promise<{ by: number; committed: number }> {
		const document = await this.#present(await this.#document(idOf(payer, day)));
		const account = withoutEnded(accountOf(await this.#unparked(document, [wanted.id])), now());
		return { by: missing(account, wanted), committed: account.committed };
	}

	/**
	 * Raises the hold to the requested amount. Resolves to the added amount; undefined when it exceeds the limit.
	 * @throws {TimeoutError} when its turn comes after its deadline.
	 */
	async hold(payer: Payer, day: string, limit: number, wanted: TimedHoldRequest): Promise<number | undefined> {
		const { deadline, ...request } = wanted;
		return (await this.#changes.run(idOf(payer, day), { wanted: request, limit }, deadline))();
	}

	async release(payer: Payer, day: string, hold: string, by?: number): Promise<void> {
		(await this.#changes.run(idOf(payer, day), { released: hold, by }))();
	}

	async releaseAll(payer: Payer, day: string, session: string): Promise<void> {
		const id = idOf(payer, day);
		const { holds } = accountOf((await this.#store.get(dayAccountCollection, id, ["holds"])) ?? {});
		const inside = holds.filter((hold) => hold.id.startsWith(holdId(session, ""))).map((hold) => hold.id);
		const parked = parkedSumOf(holds) ? await this.#parked.ofSession(id, session) : [];
		await Promise.all([...new Set([...inside, ...parked])].map((hold) => this.release(payer, day, hold)));
	}

	/** Removes what is left of holds that ended a day ago. */
	sweep(): Promise<void> {
		return this.#parked.sweep();
	}

	async #bookAll(id: string, payer: Payer, day: string): Promise<void> {
		let isMore = true;
		while (isMore) isMore = await this.#bookPage(payer, day);
		await this.#park(id);
	}

	/** Does the requests in one write if all of them fit, otherwise one by one. */
	async #changeAll(id: string, requests: readonly AccountRequest[]): Promise<readonly Outcome[]> {
		const { holds } = await this.#endParked(id);
		const isRoom = hasRoom(accountOf({ holds }).holds, requests.length);
		const together = isRoom && requests.length > 1 ? await this.#tryAll(id, requests) : undefined;
		const outcomes = together?.map((by) => () => by) ?? (await this.#oneByOne(id, requests));
		await this.#park(id);
		return outcomes;
	}

	async #oneByOne(id: string, requests: readonly AccountRequest[]): Promise<Outcome[]> {
		const outcomes: Outcome[] = [];
		for (const request of requests) {
			const outcome = this.#tryAll(id, [request]).then(
				(added) => () => added?.[0],
				(error: unknown) => () => {
					throw error;
				},
			);
			outcomes.push(await outcome);
		}
		return outcomes;
	}

	/** Does the requests in one write; undefined when a limit would be exceeded. */
	async #tryAll(id: string, requests: readonly AccountRequest[]): Promise<readonly number[] | undefined> {
		const ids = requests.map((request) => ("wanted" in request ? request.wanted.id : request.released));
		const isHold = requests.some((request) => "wanted" in request);
		const decided = await compareAndSet({
			what,
			read: async () => this.#unparked(isHold ? await this.#document(id) : await this.#existing(id), ids),
			decide: (document) => changedBy(requests, document, now()),
			write: async (document, changed) => {
				const limited = await this.#limited(document, changed.limit);
				return limited && this.#writeChange(limited, changed);
			},
		});
		if (decided?.written === "too large") return undefined;
		return decided?.decision.added ?? requests.map(() => 0);
	}

	/**
	 * Books one page of rows; returns whether there were any, because there may then be more. The second look, which mostly
	 * finds nothing, lets reports gather: without it there are more and smaller commits, which cost more.
	 */
	async #bookPage(payer: Payer, day: string): Promise<boolean> {
		const decided = await compareAndSet({
			what,
			read: async () => {
				const document = await this.#document(idOf(payer, day));
				const rows = await this.#ledger.after({ ...payer, day }, document.booked ?? 0);
				return { document: await this.#unparked(document, holdsOf(rows)), rows };
			},
			decide: ({ document, rows }) => (rows.length === 0 ? undefined : withRows(document, rows, isShared(payer))),
			write: ({ document }, set) => this.#write(document, set),
		});
		return decided !== undefined;
	}

	/** Moves surplus holds of the account into documents of their own. @param least The count that is worth a write. */
	async #park(id: string, least?: number): Promise<void> {
		await compareAndSet({
			what,
			read: () => this.#existing(id),
			decide: ({ holds }) => parkingOf(accountOf({ holds }).holds, least),
			write: async (document, parking) => {
				await this.#parked.write(id, document.rev ?? 0, parking);
				failpoint("budgets.holds-parked");
				return this.#write(document, { holds: parking.after });
			},
		});
	}

	/** Takes parked holds that have ended out of the account; resolves to the account. */
	async #endParked(id: string): Promise<DayDocument> {
		for (;;) {
			const document = await this.#existing(id);
			const sum = parkedSumOf(accountOf(document).holds);
			if (!sum || sum.soonest > now()) return document;
			await this.#takeEnded(id);
			await this.#park(id, 1);
		}
	}

	async #takeEnded(id: string): Promise<void> {
		await compareAndSet({
			what,
			// The account is read first: a hold that changes afterwards changes it too.
			read: async () => ({ document: await this.#existing(id), found: await this.#parked.ended(id) }),
			decide: ({ document, found }) => withoutEndedParked(document, found),
			write: async ({ document, found }, account) => {
				const written = await this.#write(document, columnsOf(account));
				const era = parkedSumOf(account.holds)?.era;
				if (written) await this.#parked.discard(id, found.ended, era);
				return written;
			},
		});
	}

	/** Returns the account as it is now: without parked holds that have ended. */
	async #present(document: DayDocument): Promise<DayDocument> {
		const sum = parkedSumOf(accountOf(document).holds);
		if (!sum || sum.soonest > now()) return document;
		const found = await this.#parked.ended(document.id, sum.count + sum.moving.length);
		return { ...document, ...columnsOf(withoutEndedParked(document, found)) };
	}

	/** Returns the account with these holds beside the sum of the parked ones. */
	async #unparked(document: DayDocument, ids: readonly string[]): Promise<DayDocument> {
		const { holds } = accountOf(document);
		const sum = parkedSumOf(holds);
		const wanted = sum ? ids.filter((hold) => !sum.moving.includes(hold)) : [];
		if (wanted.length === 0) return document;
		return { ...document, holds: unparked(holds, await this.#parked.of(document.id, wanted)) };
	}

	/** Writes a change; undefined when another writer has changed the document. */
	async #writeChange(
		document: DayDocument,
		{ after, fits }: ChangedAccount,
	): Promise<"held" | "too large" | undefined> {
		if (await this.#write(document, columnsOf(after), fits)) return "held";
		return (await this.#document(document.id)).rev === document.rev ? "too large" : undefined;
	}

	/** Returns the document with this limit; undefined when another writer has changed it. */
	async #limited(document: DayDocument, limit: number | undefined): Promise<DayDocument | undefined> {
		if (limit === undefined || document.limit_micros === limit) return document;
		return this.#write(document, { limit_micros: limit });
	}

	async #existing(id: string): Promise<DayDocument> {
		return (await this.#store.get(dayAccountCollection, id)) ?? emptyAccount(id);
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
		{ holds, ...set }: Partial<DayDocument>,
		fits?: ChangedAccount["fits"],
	): Promise<DayDocument | undefined> {
		const guard = { equals: { rev }, ...(fits && { fits }) };
		const kept = holds === undefined ? {} : { holds: bounded(accountOf({ holds }).holds, rev + 1, now()) };
		return this.#store.update(dayAccountCollection, id, guard, { set: { ...set, ...kept, rev: rev + 1 } });
	}
}

function isShared({ owner }: Payer): boolean {
	return owner === undefined;
}

function idOf({ tenant, owner }: Payer, day: string): string {
	return JSON.stringify(owner === undefined ? [tenant, day] : [tenant, owner, day]);
}

function emptyAccount(id: string): DayDocument {
	const account: Account = { booked: 0, spent: 0, committed: 0, holds: [] };
	return { id, wire: "{}", rev: 1, ...columnsOf(account), local_tokens: 0, cloud_tokens: 0 };
}

function holdsOf(rows: readonly LedgerRow[]): string[] {
	return [...new Set(rows.flatMap((row) => spendingOf(row).hold ?? []))];
}
