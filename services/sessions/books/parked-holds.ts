/**
 * Keeps the document of an account small: it has the holds that changed last, and the others are parked in documents of
 * their own. One entry of its holds is the sum of the parked ones, so the committed amount stays the sum of all entries. Pure.
 */
import { type Hold, holdMs } from "../record/account.ts";

/** The id of the entry; ids of holds contain a colon. */
const parkedId = "*";
/** The most holds that remain in the document; more are parked at once, down to the second number. */
const maxInside = 32;
const remainingInside = 16;
/** The count of ids on their way from which on they are worth a write of their own. */
const worthParking = 16;
const never = Number.MAX_SAFE_INTEGER;

/** The entry of all parked holds. It lives as long as any of them can, without a further change of the account. */
interface ParkedSum extends Hold {
	/** Distinguishes it from an earlier entry, which ended with all holds that were parked in it. */
	readonly era: number;
	readonly count: number;
	/** The time at which the first parked hold ends, or an earlier one. */
	readonly soonest: number;
	/**
	 * The ids of holds whose documents do not count: the account itself has them, or they have ended. They are added
	 * before such a document is written and removed afterwards, so that each hold counts once whenever a process dies.
	 */
	readonly moving: readonly string[];
}

/** The document of a parked hold, as far as it concerns the account. */
export interface ParkedHold extends Hold {
	readonly era: number;
}

/** Returns the entry of the parked holds; undefined when none is parked. */
export function parkedSumOf(holds: readonly Hold[]): ParkedSum | undefined {
	return holds.find((hold): hold is ParkedSum => hold.id === parkedId);
}

export function countOf(holds: readonly Hold[]): number {
	return holds.length + (parkedSumOf(holds)?.count ?? 0);
}

/** Whether the amount of this hold's document is in the sum. */
function counts({ era, moving }: ParkedSum, { id, era: its }: ParkedHold): boolean {
	return its === era && !moving.includes(id);
}

/** Returns the holds with parked ones taken out of the sum and put beside it. */
export function unparked(holds: readonly Hold[], found: readonly ParkedHold[]): readonly Hold[] {
	const sum = parkedSumOf(holds);
	const taken = sum ? found.filter((hold) => counts(sum, hold)) : [];
	if (!sum || taken.length === 0) return holds;
	const back = taken.map(({ id, micros, settled, until }) => ({ id, micros, settled, until }));
	return [...holds.filter((hold) => hold !== sum), ...back, without(sum, taken)];
}

/** Returns the holds without parked ones that have ended. @param soonest The end of the first one that remains. */
export function withoutParked(holds: readonly Hold[], ended: readonly ParkedHold[], soonest: number): readonly Hold[] {
	const sum = parkedSumOf(holds);
	if (!sum) return holds;
	const taken = ended.filter((hold) => counts(sum, hold));
	const after: ParkedSum = { ...without(sum, taken), soonest };
	return [...holds.filter((hold) => hold !== sum), after];
}

function without(sum: ParkedSum, taken: readonly ParkedHold[]): ParkedSum {
	const micros = Math.max(0, sum.micros - total(taken));
	return { ...sum, micros, count: sum.count - taken.length, moving: [...sum.moving, ...taken.map(({ id }) => id)] };
}

/**
 * Returns the holds as they are written: the entry of the parked ones lives on, and surplus holds are on their way out.
 * @param rev The revision of the document with these holds.
 */
export function bounded(holds: readonly Hold[], rev: number, at: number): readonly Hold[] {
	const sum = parkedSumOf(holds);
	const { moving = [], ...parked } = sum ?? { id: parkedId, micros: 0, settled: 0, era: rev, count: 0, soonest: never };
	const inside = holds.filter((hold) => hold !== sum);
	const staying = inside.filter(({ id }) => !moving.includes(id));
	const surplus = staying.length > maxInside ? staying.slice(0, staying.length - remainingInside) : [];
	const all = [...moving, ...surplus.map(({ id }) => id)];
	if (parked.count === 0 && all.length === 0) return inside;
	const after: ParkedSum = { ...parked, until: at + holdMs, moving: all };
	return [...inside, after];
}

/** The documents of holds that are on their way, and the account's holds once they are written. */
export interface Parking {
	readonly era: number;
	readonly parked: readonly Hold[];
	readonly ended: readonly string[];
	readonly after: readonly Hold[];
}

/** Returns what parks the holds on their way; undefined when they are too few. @param least Default 16. */
export function parkingOf(holds: readonly Hold[], least = worthParking): Parking | undefined {
	const sum = parkedSumOf(holds);
	if (!sum || sum.moving.length === 0 || sum.moving.length < least) return undefined;
	const parked = holds.filter(({ id }) => sum.moving.includes(id));
	const ended = sum.moving.filter((id) => !parked.some((hold) => hold.id === id));
	const after: ParkedSum = {
		...sum,
		micros: sum.micros + total(parked),
		count: sum.count + parked.length,
		soonest: Math.min(sum.soonest, ...parked.map(({ until }) => until)),
		moving: [],
	};
	const others = holds.filter((hold) => hold !== sum && !parked.includes(hold));
	return { era: sum.era, parked, ended, after: [...others, after] };
}

function total(holds: readonly Hold[]): number {
	return holds.reduce((sum, { micros }) => sum + micros, 0);
}
