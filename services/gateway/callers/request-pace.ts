/**
 * When several people ask, a crowd of one person's requests does not stand in front of another's. Of each person one begins in
 * a turn of the event loop, so that between two of them everything else that has come is read and answered; and a few are
 * worked on at a time. One that takes long waits for something itself and is counted no more. Nothing is refused, and whoever
 * is alone does not wait at all.
 */
import { type Principal, principalKey } from "#shared/bus/principal.ts";
import { monotonic, nextTurn, sleep } from "#shared/clock.ts";

/** Of one person, while others are there. */
const atOnce = 2;
/** Whoever has asked for something in this time is there. */
const presentMs = 1_000;
/** After that a request waits for something rather than being worked on. */
const workMs = 250;
const lookMs = 50;

/** A request under way. */
interface Begun {
	/** On the monotonic clock. */
	readonly at: number;
}

interface Asker {
	readonly begun: Set<Begun>;
	readonly waiting: ((begun: Begun) => void)[];
	/** One of theirs has begun in this turn of the event loop. */
	hadTurn: boolean;
}

export class RequestPace {
	readonly #askers = new Map<string, Asker>();
	#latest = "";
	#latestAt = 0;
	/** Of somebody else than the latest. */
	#formerAt = Number.NEGATIVE_INFINITY;
	#isLooking = false;
	#isTurning = false;

	/** What `serve` gives, when it is its turn. */
	async run<T>(principal: Principal, serve: () => Promise<T>): Promise<T> {
		const who = principalKey(principal);
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

	/** Whether somebody else is there, too. */
	#isInCompany(who: string): boolean {
		const at = monotonic();
		if (this.#latest !== who) this.#formerAt = this.#latest === "" ? this.#formerAt : this.#latestAt;
		this.#latest = who;
		this.#latestAt = at;
		return at - this.#formerAt < presentMs;
	}

	/** Undefined when it has to wait. */
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

	/** Lets one of each begin that may, turn by turn, until none of them may. */
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

	/** As long as somebody waits: what is under way may come to be counted no more without an end. */
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

/** Whether one has begun. */
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
