/**
 * Shares the event loop fairly between persons. While several persons send requests, one request per person begins in
 * each turn of the event loop, and only a few of one person are worked on at a time; a request that has run for long
 * waits for something else and is no longer counted. Nothing is refused, and a person who is alone never waits. A person's
 * logins and tokens are one person here.
 */
import type { Principal } from "#shared/base/principal.ts";
import { monotonic, nextTurn, sleep } from "#shared/base/clock.ts";
import { callerKey } from "./accounts.ts";

/** The requests of one person that are worked on at a time while other persons are present. */
const atOnce = 2;
/** A person counts as present for this time after a request, in milliseconds. */
const presentMs = 1_000;
/** The time after which a request counts as waiting instead of being worked on, in milliseconds. */
const workMs = 250;
const lookMs = 50;

/** A request under way. */
interface Begun {
	/** The time of its beginning on the monotonic clock. */
	readonly at: number;
}

interface Asker {
	readonly begun: Set<Begun>;
	readonly waiting: ((begun: Begun) => void)[];
	/** Whether a request of this person has begun in the present turn of the event loop. */
	hadTurn: boolean;
}

/** The pacing of one gateway. */
export class RequestPace {
	readonly #askers = new Map<string, Asker>();
	#latest = "";
	#latestAt = 0;
	/** The time of the last request of a person other than the latest one. */
	#formerAt = Number.NEGATIVE_INFINITY;
	/** These two loops need no SingleFlight: until they end, they see every request that begins to wait. */
	#isLooking = false;
	#isTurning = false;
	readonly #keyOf: (principal: Principal) => string;

	/** @param keyOf Says whose requests have their turns together; default: those of each caller. */
	constructor(keyOf: (principal: Principal) => string = callerKey) {
		this.#keyOf = keyOf;
	}

	/** Runs `serve` when it is the person's turn, and returns its result. */
	async run<T>(principal: Principal, serve: () => Promise<T>): Promise<T> {
		const who = this.#keyOf(principal);
		const asker = this.#asker(who);
		const begun = this.#isInCompany(who) ? (this.#beginInTurn(asker) ?? (await this.#turn(asker))) : begin(asker);
		try {
			return await serve();
		} finally {
			asker.begun.delete(begun);
			if (asker.waiting.length > 0) void this.#takeTurns();
			else this.#forgetIdle(who, asker);
		}
	}

	#asker(who: string): Asker {
		const known = this.#askers.get(who);
		if (known) return known;
		const asker: Asker = { begun: new Set(), waiting: [], hadTurn: false };
		this.#askers.set(who, asker);
		return asker;
	}

	/** Whether another person is present too. */
	#isInCompany(who: string): boolean {
		const at = monotonic();
		if (this.#latest !== who) this.#formerAt = this.#latest === "" ? this.#formerAt : this.#latestAt;
		this.#latest = who;
		this.#latestAt = at;
		return at - this.#formerAt < presentMs;
	}

	/** Begins a request if it is the person's turn; undefined when it has to wait. */
	#beginInTurn(asker: Asker): Begun | undefined {
		if (asker.waiting.length > 0 || !mayBegin(asker)) return undefined;
		asker.hadTurn = true;
		void this.#takeTurns();
		return begin(asker);
	}

	#turn({ waiting }: Asker): Promise<Begun> {
		void this.#look();
		return new Promise((resolve) => waiting.push(resolve));
	}

	/** Begins one waiting request per person in each turn of the event loop, until none may begin. */
	async #takeTurns(): Promise<void> {
		if (this.#isTurning) return;
		this.#isTurning = true;
		let isOver: boolean;
		do {
			await nextTurn();
			isOver = true;
			for (const [who, asker] of this.#askers) {
				asker.hadTurn = false;
				if (admit(asker)) isOver = false;
				else this.#forgetIdle(who, asker);
			}
		} while (!isOver);
		this.#isTurning = false;
	}

	/** Checks again while requests wait, because a running request may cease to count without ending. */
	async #look(): Promise<void> {
		if (this.#isLooking) return;
		this.#isLooking = true;
		do {
			await sleep(lookMs);
			void this.#takeTurns();
		} while (this.#askers.values().some(({ waiting }) => waiting.length > 0));
		this.#isLooking = false;
	}

	#forgetIdle(who: string, { begun, waiting, hadTurn }: Asker): void {
		if (begun.size === 0 && waiting.length === 0 && !hadTurn) this.#askers.delete(who);
	}
}

function begin({ begun }: Asker): Begun {
	const one = { at: monotonic() };
	begun.add(one);
	return one;
}

/** Begins the next waiting request of a person; returns whether there was one. */
function admit(asker: Asker): boolean {
	const next = mayBegin(asker) ? asker.waiting.shift() : undefined;
	if (!next) return false;
	asker.hadTurn = true;
	next(begin(asker));
	return true;
}

function mayBegin(asker: Asker): boolean {
	return !asker.hadTurn && hasRoom(asker);
}

function hasRoom({ begun }: Asker): boolean {
	if (begun.size < atOnce) return true;
	const since = monotonic() - workMs;
	let worked = 0;
	for (const { at } of begun) if (at > since) worked++;
	return worked < atOnce;
}
