/**
 * Asks which owners of sessions are no members of their tenant any more. An answer is used for a few seconds, so that many
 * sessions of one owner cost one question.
 */
import { LRUCache } from "lru-cache";
import { personKey, systemPrincipal } from "#shared/base/principal.ts";
import { call, type Caller } from "./service.ts";
import { vouch } from "./vouched-principal.ts";
import { monotonic } from "#shared/base/clock.ts";
import { admissions } from "#shared/contracts/identity/admissions.ts";
import { UnavailableError } from "#shared/base/errors.ts";

/** An answer is used for this time after its question, in milliseconds. */
const freshMs = 2_000;
/** The longest time for an answer, in milliseconds. */
const askMs = 1_000;
const maxPeople = 10_000;
/** The most people in one question. */
const maxAsked = 500;

/** A person in a tenant, as sessions have them. */
export interface Owner {
	readonly tenant?: string | undefined;
	readonly owner?: string | undefined;
}

/** Returns those of the people who have departed. @throws {Error} when nobody can tell. */
type AskDeparted = (people: { tenant: string; user_id: string }[]) => Promise<readonly Departed[]>;

interface Departed {
	readonly tenant: string;
	readonly user_id: string;
}

export class DepartedOwners {
	readonly #ask: AskDeparted;
	/** When a question failed last: the next one waits, because each takes up to its time limit. */
	#failedAt = -Infinity;
	readonly #answers = new LRUCache<string, { readonly at: number; readonly isGone: boolean }>({ max: maxPeople });

	constructor(ask: AskDeparted) {
		this.#ask = ask;
	}

	/** Whether this owner has departed. @throws {Error} when nobody can tell. */
	async has(owner: Owner): Promise<boolean> {
		return (await this.among([owner]))(owner);
	}

	/** Returns a function that says of each of these owners whether they have departed. @throws {Error} as `has`. */
	async among(owners: readonly Owner[]): Promise<(owner: Owner) => boolean> {
		const people = new Map(owners.flatMap((one) => (isKnown(one) ? [[keyOf(one), one] as const] : [])));
		const gone = new Set<string>();
		const unknown: [string, Required<Owner>][] = [];
		for (const [key, one] of people) {
			const known = this.#answers.get(key);
			if (!known || monotonic() - known.at >= freshMs) unknown.push([key, one]);
			else if (known.isGone) gone.add(key);
		}
		for (let from = 0; from < unknown.length; from += maxAsked)
			for (const key of await this.#asked(unknown.slice(from, from + maxAsked))) gone.add(key);
		return (owner) => gone.has(keyOf(owner));
	}

	/** Asks about some people and remembers the answers; returns the keys of those who have departed. */
	async #asked(some: readonly (readonly [string, Required<Owner>])[]): Promise<ReadonlySet<string>> {
		const at = monotonic();
		if (at - this.#failedAt < freshMs)
			throw new UnavailableError("Who has left a tenant could not be found out just now");
		const departed = await this.#ask(some.map(([, { tenant = "", owner = "" }]) => ({ tenant, user_id: owner }))).catch(
			(error: unknown) => {
				this.#failedAt = monotonic();
				throw error;
			},
		);
		const gone = new Set(departed.map(({ tenant, user_id }) => personKey(tenant, user_id)));
		for (const [key] of some) this.#answers.set(key, { at, isGone: gone.has(key) });
		return gone;
	}
}

/** Returns the owners as services/identity knows them. @param bus Returns the bus; undefined until it is connected. */
export function departedOwners(bus: () => Caller | undefined): DepartedOwners {
	const options = { meta: { principal: vouch(systemPrincipal("departed-owners")) }, timeout: askMs };
	return new DepartedOwners(async (people) => {
		const caller = bus();
		if (!caller) throw new UnavailableError("The platform is starting");
		return call(caller, admissions.actions.departed, { people }, options);
	});
}

function isKnown(one: Owner): one is Required<Owner> {
	return one.tenant !== undefined && one.owner !== undefined;
}

function keyOf({ tenant = "", owner = "" }: Owner): string {
	return personKey(tenant, owner);
}
