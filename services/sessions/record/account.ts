/** What has been spent and what is held for turns under way: by a session, or by a user or tenant in a day. Pure. */
import type { Row } from "#shared/store/collection.ts";

/** Whole micro-dollars. */
type Micros = number;

/** What a turn under way may still spend. */
export interface Hold {
	readonly id: string;
	readonly micros: Micros;
	/** What was spent under it; turns report sooner or later than they ask for more. */
	readonly settled: Micros;
	/** Milliseconds since 1970; then it ends by itself, because whoever made it is gone. */
	readonly until: number;
}

export interface Account {
	/** Number of the newest ledger row that is in. */
	readonly booked: number;
	readonly spent: Micros;
	/** Spent and held. */
	readonly committed: Micros;
	readonly holds: readonly Hold[];
}

/** One row of the ledger, as accounts see it. */
export interface Spending {
	readonly seq: number;
	readonly at: number;
	readonly micros: Micros;
	/** Id of the hold it is taken from, if there is one. */
	readonly hold: string | undefined;
}

/** What a turn asks for. */
export interface HoldRequest {
	readonly id: string;
	/** All it has spent so far, booked or not. */
	readonly used: Micros;
	/** What its next model call may cost. */
	readonly next: Micros;
}

/** Names of reservations belong to their session; several sessions pay from one day. */
export function holdId(session: string, reservation: string): string {
	return `${session}:${reservation}`;
}

/** How long a hold lasts that nobody raises or books on. */
export const holdMs = 600_000;

/** Columns of whatever is an account; `limit_micros` is absent when there is no limit. */
export const accountColumns = {
	booked: "integer",
	spent_micros: "integer",
	committed_micros: "integer",
	limit_micros: "integer",
	holds: "json",
} as const;

type AccountRow = Row<typeof accountColumns>;

export function accountOf({ booked = 0, spent_micros: spent = 0, committed_micros, holds }: AccountRow): Account {
	return { booked, spent, committed: committed_micros ?? spent, holds: (holds ?? []) as Hold[] };
}

export function columnsOf({ booked, spent, committed, holds }: Account) {
	return { booked, spent_micros: spent, committed_micros: committed, holds };
}

/**
 * The account with these rows in it, which are newer than all before: what they cost leaves their holds. A correction may
 * take away no more than what was spent.
 */
export function withSpendings(account: Account, spendings: readonly Spending[]): Account {
	return spendings.reduce(withSpending, account);
}

function withSpending(account: Account, { seq, at, micros, hold: id }: Spending): Account {
	const held = account.holds.find((hold) => hold.id === id);
	const taken = Math.min(held?.micros ?? 0, Math.max(0, micros));
	const holds = account.holds.map((hold) =>
		hold === held
			? {
					...hold,
					micros: hold.micros - taken,
					settled: hold.settled + micros,
					until: Math.max(hold.until, at + holdMs),
				}
			: hold,
	);
	const spent = Math.max(0, account.spent + micros);
	return { booked: seq, spent, committed: account.committed + spent - account.spent - taken, holds };
}

/** How much more an account must hold so that a request is met; 0 when it holds enough. */
export function missing({ holds }: Account, { id, used, next }: HoldRequest): Micros {
	const hold = holds.find((one) => one.id === id);
	const wanted = Math.max(0, used - (hold?.settled ?? 0)) + next;
	return Math.max(0, wanted - (hold?.micros ?? 0));
}

/** What a reservation holds. */
export function heldBy({ holds }: Account, id: string): Micros {
	return holds.find((hold) => hold.id === id)?.micros ?? 0;
}

/** The account with a hold raised, or made, and kept for a further time. */
export function raised(account: Account, id: string, by: Micros, at: number): Account {
	const former = account.holds.find((hold) => hold.id === id) ?? { id, micros: 0, settled: 0, until: 0 };
	const hold: Hold = { ...former, micros: former.micros + by, until: at + holdMs };
	const others = account.holds.filter((one) => one.id !== id);
	return { ...account, committed: account.committed + by, holds: [...others, hold] };
}

/** The account without a hold, or with a part of it given back. */
export function lowered(account: Account, id: string, by = heldBy(account, id)): Account {
	const holds = account.holds.flatMap((hold) => {
		if (hold.id !== id) return [hold];
		return by < hold.micros ? [{ ...hold, micros: hold.micros - by }] : [];
	});
	return withHolds(account, holds);
}

/** The account without the holds whose time is over. One that lasts longer than any can was made by a clock set back since. */
export function withoutEnded(account: Account, at: number): Account {
	const holds = account.holds.filter(({ until }) => until > at && until <= at + holdMs);
	return holds.length === account.holds.length ? account : withHolds(account, holds);
}

/** The account when no turn is under way. */
export function withoutHolds(account: Account): Account {
	return account.holds.length === 0 ? account : withHolds(account, []);
}

function withHolds(account: Account, holds: readonly Hold[]): Account {
	return { ...account, holds, committed: account.spent + holds.reduce((sum, { micros }) => sum + micros, 0) };
}
