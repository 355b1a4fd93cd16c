/** Finds out whether this process can do its work, and what is missing. */
import { sleep } from "#shared/base/clock.ts";
import type { ReadinessCheck } from "./platform.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";

/** The timeout of one check, in milliseconds; a check that takes longer has failed. */
const checkMs = 2_000;
const ending = "the process is ending";
/** While this check fails, only those that need no other process are told: the rest follows from it. */
const bus = "bus";
const ownChecks: ReadonlySet<string> = new Set(["files", "store", "processes"]);

/** The checks of the parts of a process by the name of the checked dependency; they may grow. */
type Checks = ReadonlyMap<string, ReadinessCheck>;

export class Readiness {
	readonly #all: Checks;
	readonly #checks = new SingleFlight(() => this.#check());
	#draining = false;

	constructor(checks: Checks) {
		this.#all = checks;
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
		const asked = [...this.#all].map(async ([name, check]) => ({ name, failure: await failureOf(name, check) }));
		const failures = (await Promise.all(asked)).filter(({ failure }) => failure !== undefined);
		const isWithoutBus = failures.some(({ name }) => name === bus);
		const told = isWithoutBus ? failures.filter(({ name }) => name === bus || ownChecks.has(name)) : failures;
		return told.flatMap(({ failure = [] }) => failure);
	}
}

/** Returns the sentence of a failed check; undefined when it has succeeded within `ms`. */
export async function failureOf(name: string, check: ReadinessCheck, ms = checkMs): Promise<string | undefined> {
	const done = new AbortController();
	try {
		return await Promise.race([
			check().then(() => undefined),
			sleep(ms, done.signal).then(() => `${name}: no answer within ${ms} ms`),
		]);
	} catch (error) {
		return `${name}: ${error instanceof Error ? error.message : String(error)}`;
	} finally {
		done.abort();
	}
}

/** Returns the body of `/health` as JSON. @param shortcomings Sentences about guarantees that this process cannot give. */
export function healthText(shortcomings: readonly string[]): string {
	return JSON.stringify({ status: "healthy", ...(shortcomings.length > 0 && { shortcomings }) });
}
