/**
 * Chooses the next failpoint: those without a kill come first, and among them those that no other test kills at, so that a run
 * visits all of these.
 */
import type { Random } from "./random.ts";

export class FailpointTour {
	readonly #random: Random;
	readonly #tries = new Map<string, number>();
	/** The number of kills at each failpoint. */
	readonly visits: ReadonlyMap<string, number>;
	readonly #visits: Map<string, number>;
	readonly #ofTests: ReadonlySet<string>;

	/** @param ofTests The failpoints that other tests kill at. */
	constructor(names: readonly string[], random: Random, ofTests: ReadonlySet<string>) {
		this.#random = random;
		this.#ofTests = ofTests;
		this.#visits = new Map(names.map((name) => [name, 0]));
		this.visits = this.#visits;
	}

	/** The failpoints at which the platform has not died yet. */
	get missing(): string[] {
		return [...this.#visits].filter(([, visits]) => visits === 0).map(([name]) => name);
	}

	/** The missing ones that no other test kills at. */
	get due(): string[] {
		return this.missing.filter((name) => !this.#ofTests.has(name));
	}

	/** Chooses among the least tried of those that are due, or missing, or of all. */
	next(): string {
		const names = [this.due, this.missing].find(({ length }) => length > 0) ?? [...this.#visits.keys()];
		const fewest = Math.min(...names.map((name) => this.#triesOf(name)));
		const name = this.#random.pick(names.filter((one) => this.#triesOf(one) === fewest));
		this.#tries.set(name, this.#triesOf(name) + 1);
		return name;
	}

	visited(name: string): void {
		this.#visits.set(name, (this.#visits.get(name) ?? 0) + 1);
	}

	#triesOf(name: string): number {
		return this.#tries.get(name) ?? 0;
	}
}
