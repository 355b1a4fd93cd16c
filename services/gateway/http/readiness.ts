/** Finds out whether this process can do its work, and what is missing. */
import type { AnyAction } from "#shared/bus/contract.ts";
import { sleep } from "#shared/clock.ts";
import type { ReadinessCheck } from "#shared/platform.ts";
import { SingleFlight } from "#shared/single-flight.ts";

/** The timeout of one check, in milliseconds; a check that takes longer has failed. */
const checkMs = 2_000;
const ending = "the process is ending";

/** The checks of a {@link Readiness}. */
export interface ReadinessOptions {
	/** The checks of the parts of this process by the name of the checked dependency. */
	readonly checks: ReadonlyMap<string, ReadinessCheck>;
	/** One action of every service that the gateway calls. */
	readonly actions: readonly AnyAction[];
	/** Whether any process on the bus, including this one, offers the action now. */
	readonly isServed: (action: AnyAction) => boolean;
}

/** The readiness of one process. */
export class Readiness {
	readonly #options: ReadinessOptions;
	readonly #checks = new SingleFlight(() => this.#check());
	#draining = false;

	constructor(options: ReadinessOptions) {
		this.#options = options;
	}

	/** Makes the process not ready from now on, whatever the checks say. */
	drain(): void {
		this.#draining = true;
	}

	/**
	 * Returns sentences about what is missing; an empty list when the process is ready. Calls during a check share its
	 * outcome.
	 */
	async missing(): Promise<string[]> {
		if (this.#draining) return [ending];
		const missing = await this.#checks.join();
		// The end of the process may have begun meanwhile.
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
