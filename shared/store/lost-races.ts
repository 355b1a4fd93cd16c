/** Optimistic concurrency control: an attempt whose guard did not hold has lost a race and is repeated. */

export interface RaceLimit {
	/** Attempts that may lose before the change is given up. Default 50. */
	readonly maxRaces?: number;
	/** Makes the error for a change that is given up. */
	readonly refusal: () => Error;
}

const defaultMaxRaces = 50;

/**
 * Repeats an attempt while it resolves to undefined, which says that another writer was faster.
 * @param attempt Reads what it decides by: what an earlier attempt has read is out of date.
 * @returns What the first attempt gives that has lost no race.
 * @throws whatever `attempt` throws, at once; the refusal after `maxRaces` lost races.
 * @example
 * ```ts
 * const counter = await repeatLostRaces(
 * 	async () => {
 * 		const { rev = 0 } = (await store.get(counters, "a")) ?? {};
 * 		return store.update(counters, "a", { equals: { rev } }, { inc: { rev: 1 } });
 * 	},
 * 	{ refusal: () => new UnavailableError("The counter changes too fast, try again") },
 * );
 * ```
 */
export async function repeatLostRaces<T>(
	attempt: () => Promise<T | undefined>,
	{ maxRaces = defaultMaxRaces, refusal }: RaceLimit,
): Promise<T> {
	for (let race = 0; race < maxRaces; race++) {
		const outcome = await attempt();
		if (outcome !== undefined) return outcome;
	}
	throw refusal();
}
