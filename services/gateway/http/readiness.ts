/** Whether this process can do its work, and what it lacks. */
import type { AnyAction } from "#shared/bus/contract.ts";
import { sleep } from "#shared/clock.ts";
import type { ReadinessCheck } from "#shared/platform.ts";
import { SingleFlight } from "#shared/single-flight.ts";

/** A check that takes longer has failed. */
const checkMs = 2_000;
const ending = "the process is ending";

export interface ReadinessOptions {
	/** Of the parts of this process, by the name of what is checked. */
	readonly checks: ReadonlyMap<string, ReadinessCheck>;
	/** One of every service that requests are passed on to. */
	readonly actions: readonly AnyAction[];
	/** Whether somebody on the bus, or this process itself, serves the action now. */
	readonly isServed: (action: AnyAction) => boolean;
}

export class Readiness {
	readonly #options: ReadinessOptions;
	readonly #checks = new SingleFlight(() => this.#check());
	#draining = false;

	constructor(options: ReadinessOptions) {
		this.#options = options;
	}

	/** From now on the process is not ready, whatever the checks say. */
	drain(): void {
		this.#draining = true;
	}

	/** What is missing, in words; nothing when all is well. Whoever asks meanwhile shares the outcome. */
	async missing(): Promise<string[]> {
		if (this.#draining) return [ending];
		const missing = await this.#checks.join();
		// The end may have begun meanwhile.
		return this.#draining ? [ending] : missing;
	}

	async #check(): Promise<string[]> {
		const { checks, actions, isServed } = this.#options;
		const absent = actions.filter((action) => !isServed(action)).map(({ name }) => `nobody serves "${name}"`);
		const failures = await Promise.all([...checks].map(([name, check]) => failureOf(name, check)));
		return [...absent, ...failures.filter((failure) => failure !== undefined)];
	}
}

async function failureOf(name: string, check: ReadinessCheck): Promise<string | undefined> {
	const done = new AbortController();
	try {
		return await Promise.race([
			check().then(() => undefined),
			sleep(checkMs, done.signal).then(() => `${name}: no answer within ${checkMs} ms`),
		]);
	} catch (error) {
		return `${name}: ${error instanceof Error ? error.message : String(error)}`;
	} finally {
		done.abort();
	}
}
