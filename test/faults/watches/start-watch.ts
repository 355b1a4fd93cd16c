/** Measures how long processes take from their start to `/ready`, and compares that with the load of the machine then. */
import { patience } from "../../support/machine/patience.ts";

/** The longest start of a process whose neighbours are there, in milliseconds. */
const usuallyAllowedMs = 10_000;

export interface StartOptions {
	/** The longest start that is right, in milliseconds; default 10 s. */
	readonly startMs?: number | undefined;
}

export class StartWatch {
	/** The starts that were too slow, as sentences. */
	readonly wrong: string[] = [];
	/** The longest start, in milliseconds. */
	slowestMs = 0;
	readonly #allowedMs: number;

	constructor({ startMs = usuallyAllowedMs }: StartOptions = {}) {
		this.#allowedMs = startMs;
	}

	note(ms: number): void {
		this.slowestMs = Math.round(Math.max(this.slowestMs, ms));
		if (ms > this.#allowedMs * patience()) this.wrong.push(`a start took ${Math.round(ms)} ms`);
	}
}
