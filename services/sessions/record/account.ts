/** Computes accounts: what a session, or a user or tenant in a day, has spent and holds for turns under way. Pure. */
import type { Row } from "#shared/store/collection.ts";

/** An amount in whole micro-dollars. */
type Micros = number;

/** The amount that a turn under way may still spend. */
export interface Hold {
	readonly id: string;
	readonly micros: Micros;
	/** The amount already booked under this hold; reports may arrive before or after the turn requests more. */
	readonly settled: Micros;
	/** The time at which the hold ends by itself, because its owner must be dead, in milliseconds since 1970. */
	readonly until: number;
}

export interface Account {
	/** The number of the newest booked ledger row. */
	readonly booked: number;
	readonly spent: Micros;
	/** The sum of what is spent and held. */
	readonly committed: Micros;
	readonly holds: readonly Hold[];
}

/** The part of a ledger row that accounts use. */
export interface Spending {
	readonly seq: number;
	readonly at: number;
	readonly micros: Micros;
	/** The id of the hold that pays for it, if there is one. */
	readonly hold: string | undefined;
}

export interface HoldRequest {
	readonly id: string;
	/** The amount that the turn has spent so far, booked or not. */
	readonly used: Micros;
	/** The amount that its next model call may cost. */
	readonly next: Micros;
}

/**
 * Returns the id of a hold. Names of reservations are unique within a session, and several sessions share the account
 * of a day.
 */
export function holdId(session: string, reservation: string): string {
	return `${session}:${reservation}`;
}

/** The lifetime of a hold without changes, in milliseconds. */
export const holdMs = 600_000;

/**
 * The clock of another process may be ahead by this much, in milliseconds: the clocks of both differ from the store's by at
 * most 2 s (host/presence/unlikeness.ts).
 */
const clockSkewMs = 5_000;

/** The columns of documents with an account; `limit_micros` is absent when there is no limit. */
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
 * Books rows that are newer than all booked ones; their cost is taken from their holds. A correction cannot make the
 * spent amount negative.
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

/** Returns the amount by which a hold must be raised for a request; 0 when it holds enough. */
export function missing({ holds }: Account, { id, used, next }: HoldRequest): Micros {
	const hold = holds.find((one) => one.id === id);
	const wanted = Math.max(0, used - (hold?.settled ?? 0)) + next;
	return Math.max(0, wanted - (hold?.micros ?? 0));
}

export function heldBy({ holds }: Account, id: string): Micros {
	return holds.find((hold) => hold.id === id)?.micros ?? 0;
}

/** Returns the account with a hold that is raised or created, and whose lifetime begins again. */
export function raised(account: Account, id: string, by: Micros, at: number): Account {
	const former = account.holds.find((hold) => hold.id === id) ?? { id, micros: 0, settled: 0, until: 0 };
	const hold: Hold = { ...former, micros: former.micros + by, until: at + holdMs };
	const others = account.holds.filter((one) => one.id !== id);
	return { ...account, committed: account.committed + by, holds: [...others, hold] };
}

/** Returns the account with a hold removed, or lowered by a part. */
export function lowered(account: Account, id: string, by = heldBy(account, id)): Account {
	const holds = account.holds.flatMap((hold) => {
		if (hold.id !== id) return [hold];
		return by < hold.micros ? [{ ...hold, micros: hold.micros - by }] : [];
	});
	return withHolds(account, holds);
}

/**
 * Returns the account without expired holds. A hold with a longer rest than any lifetime, even by the clock of another
 * process, was made before the clock was set back, and counts as expired.
 */
export function withoutEnded(account: Account, at: number): Account {
	const holds = account.holds.filter(({ until }) => until > at && until <= at + holdMs + clockSkewMs);
	return holds.length === account.holds.length ? account : withHolds(account, holds);
}

export function withHolds(account: Account, holds: readonly Hold[]): Account {
	return { ...account, holds, committed: account.spent + holds.reduce((sum, { micros }) => sum + micros, 0) };
}
