/** Chooses the next failpoint: those without a kill come first, so that a run visits all of them. */
import type { Random } from "./random.ts";

export class FailpointTour {
	readonly #random: Random;
	readonly #tries = new Map<string, number>();
	/** The number of kills at each failpoint. */
	readonly visits: ReadonlyMap<string, number>;
	readonly #visits: Map<string, number>;

	constructor(names: readonly string[], random: Random) {
		this.#random = random;
		this.#visits = new Map(names.map((name) => [name, 0]));
		this.visits = this.#visits;
	}

	/** The failpoints at which the platform has not died yet. */
	get missing(): string[] {
		return [...this.#visits].filter(([, visits]) => visits === 0).map(([name]) => name);
	}

	/** Chooses among the missing failpoints, or among the least tried when none is missing. */
	next(): string {
		const names = this.missing.length > 0 ? this.missing : [...this.#visits.keys()];
		const fewest = Math.min(...names.map((name) => this.#triesOf(name)));
		const name = this.#random.pick(names.filter((one) => this.missing.length === 0 || this.#triesOf(one) === fewest));
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
