/** Computes the changes of a day's account by reservations, releases and rows of the ledger. Pure. */
import { UnavailableError } from "#shared/base/errors.ts";
import type { Document, Row } from "#shared/store/collection.ts";
import type { Guard } from "#shared/store/port/documents.ts";
import {
	type Account,
	accountOf,
	columnsOf,
	heldBy,
	type Hold,
	type HoldRequest,
	lowered,
	missing,
	raised,
	withHolds,
	withoutEnded,
	withSpendings,
} from "../record/account.ts";
import type { dayAccountCollection } from "./collections.ts";
import type { EndedHolds } from "./day-holds.ts";
import { isMoney, type LedgerRow, spendingOf } from "./ledger-collection.ts";
import { countOf, withoutParked } from "./parked-holds.ts";

type DayColumns = (typeof dayAccountCollection)["columns"];
export type DayDocument = Document<DayColumns>;

/** The most concurrent holds of one payer. */
const maxHolds = 20_000;

export type AccountRequest =
	| { readonly wanted: HoldRequest; readonly limit: number }
	| { readonly released: string; readonly by: number | undefined };

/** An account with the requests done. */
export interface ChangedAccount {
	readonly after: Account;
	/** The amounts by which the holds of the requests were raised. */
	readonly added: readonly number[];
	/** The newest limit that the requests name. */
	readonly limit: number | undefined;
	readonly fits: Guard<DayColumns>["fits"];
}

/**
 * Does requests in their order; undefined when nothing changes.
 * @throws {UnavailableError} when the account has too many holds.
 */
export function changedBy(
	requests: readonly AccountRequest[],
	document: Row<DayColumns>,
	at: number,
): ChangedAccount | undefined {
	const former = accountOf(document);
	const holding = requests.filter((request) => "wanted" in request);
	let after = holding.length === 0 ? former : withoutEnded(former, at);
	if (holding.length > 0 && !hasRoom(after.holds, holding.length))
		throw new UnavailableError("Too many turns are under way, try again");
	const added = requests.map((request) => {
		const by = "wanted" in request ? missing(after, request.wanted) : 0;
		after = "wanted" in request ? raised(after, request.wanted.id, by, at) : withRelease(after, request);
		return by;
	});
	if (after === former) return undefined;
	const plus = after.committed - former.committed;
	const isMore = added.some((by) => by > 0);
	return {
		after,
		added,
		limit: holding.at(-1)?.limit,
		fits: isMore ? { column: "committed_micros", plus, limit: "limit_micros" } : undefined,
	};
}

export function hasRoom(holds: readonly Hold[], more: number): boolean {
	return countOf(holds) + more <= maxHolds;
}

function withRelease(account: Account, { released, by }: { released: string; by: number | undefined }): Account {
	return account.holds.some(({ id }) => id === released) ? lowered(account, released, by) : account;
}

/**
 * Returns the columns of an account that has booked rows.
 * @param isShared Whether the account is a tenant's, which has at most what was reserved in it.
 */
export function withRows(document: Row<DayColumns>, rows: readonly LedgerRow[], isShared: boolean) {
	const tokensOf = (where: string) =>
		rows.filter(isMoney).reduce((sum, { provider, tokens = 0 }) => (provider === where ? sum + tokens : sum), 0);
	const booked = isShared
		? withSharedRows(document, rows)
		: columnsOf(withSpendings(accountOf(document), rows.map(spendingOf)));
	return {
		...booked,
		local_tokens: (document.local_tokens ?? 0) + tokensOf("local"),
		cloud_tokens: (document.cloud_tokens ?? 0) + tokensOf("cloud"),
	};
}

/**
 * Books rows in an account that several people share. A pod writes its reports itself, so a report takes at most what its
 * reservation holds, which the limit of its owner has allowed. The rest is unreserved. A negative correction takes from
 * the unreserved amount first, because false reports are there.
 */
function withSharedRows(document: Row<DayColumns>, rows: readonly LedgerRow[]) {
	let account = accountOf(document);
	let unreserved = document.unreserved_micros ?? 0;
	for (const row of rows) {
		const spending = spendingOf(row);
		const beyond =
			row.source === "correction"
				? Math.min(0, Math.max(spending.micros, -unreserved))
				: Math.max(0, spending.micros - heldBy(account, spending.hold ?? ""));
		account = withSpendings(account, [{ ...spending, micros: spending.micros - beyond }]);
		unreserved += beyond;
	}
	return { ...columnsOf(account), unreserved_micros: unreserved };
}

export function withoutEndedParked(document: Row<DayColumns>, { ended, soonest }: EndedHolds): Account {
	const account = accountOf(document);
	return withHolds(account, withoutParked(account.holds, ended, soonest));
}
