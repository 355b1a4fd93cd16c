/**
 * When several people ask, a crowd of one person's requests does not stand in front of another's: a few of each are worked on
 * at a time, the others begin as those end. One that takes long waits for something itself and is counted no more. Nothing is
 * refused, and whoever is alone does not wait at all.
 */
import { type Principal, principalKey } from "#shared/bus/principal.ts";
import { monotonic, sleep } from "#shared/clock.ts";

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
}

export class RequestPace {
	readonly #askers = new Map<string, Asker>();
	#latest = "";
	#latestAt = 0;
	/** Of somebody else than the latest. */
	#formerAt = Number.NEGATIVE_INFINITY;
	#isLooking = false;

	/** What `serve` gives, when it is its turn. */
	async run<T>(principal: Principal, serve: () => Promise<T>): Promise<T> {
		const who = principalKey(principal);
		const asker = this.#asker(who);
		const mustWait = this.#isInCompany(who) && (asker.waiting.length > 0 || !hasRoom(asker));
		const begun = mustWait ? await this.#turn(asker) : begin(asker);
		try {
			return await serve();
		} finally {
			asker.begun.delete(begun);
			admit(asker);
			if (asker.begun.size === 0 && asker.waiting.length === 0) this.#askers.delete(who);
		}
	}

	#asker(who: string): Asker {
		const known = this.#askers.get(who);
		if (known) return known;
		const asker: Asker = { begun: new Set(), waiting: [] };
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

	#turn({ waiting }: Asker): Promise<Begun> {
		void this.#look();
		return new Promise((resolve) => waiting.push(resolve));
	}

	/** As long as somebody waits: what is under way may come to be counted no more without an end. */
	async #look(): Promise<void> {
		if (this.#isLooking) return;
		this.#isLooking = true;
		do {
			await sleep(lookMs);
			for (const asker of this.#askers.values()) admit(asker);
		} while (this.#askers.values().some(({ waiting }) => waiting.length > 0));
		this.#isLooking = false;
	}
}

function begin({ begun }: Asker): Begun {
	const one = { at: monotonic() };
	begun.add(one);
	return one;
}

function admit(asker: Asker): void {
	if (asker.waiting.length > 0 && hasRoom(asker)) asker.waiting.shift()?.(begin(asker));
}

function hasRoom({ begun }: Asker): boolean {
	if (begun.size < atOnce) return true;
	const since = monotonic() - workMs;
	let worked = 0;
	for (const { at } of begun) if (at > since) worked++;
	return worked < atOnce;
}
