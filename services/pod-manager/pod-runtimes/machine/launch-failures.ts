/** The launches for which something failed, each with its last cause, for one sentence of a runtime about all of them. */
import { type Launch, launchName } from "../launches/launch.ts";

/** The failures of one kind. */
export class LaunchFailures {
	readonly #about: (count: number) => string;
	readonly #nameOf: (launch: Launch) => string;
	/** The causes by the names of launches, the longest known failure first. */
	readonly #causes = new Map<string, string>();

	/**
	 * @param about Returns what cannot be done for so many launches, e.g. `Cannot open the sockets of 2 session(s)`.
	 * @param nameOf Returns the name by which people find the launch; default: that of its folders.
	 */
	constructor(about: (count: number) => string, nameOf = launchName) {
		this.#about = about;
		this.#nameOf = nameOf;
	}

	/** Takes the cause of a failure in the place of an earlier one of the launch. */
	add(launch: Launch, error: unknown): void {
		this.#causes.set(this.#nameOf(launch), error instanceof Error ? error.message : String(error));
	}

	/** Forgets a launch for which nothing fails any more. */
	delete(launch: Launch): void {
		this.#causes.delete(this.#nameOf(launch));
	}

	/** Forgets all launches but those that are there: other processes end launches, too. */
	forgetOthers(launches: readonly Launch[]): void {
		const names = new Set(launches.map(this.#nameOf));
		for (const name of this.#causes.keys()) if (!names.has(name)) this.#causes.delete(name);
	}

	/** A sentence about all of them, with the cause of one; undefined when there are none. */
	get trouble(): string | undefined {
		const [first] = this.#causes;
		if (!first) return undefined;
		const [name, cause] = first;
		return `${this.#about(this.#causes.size)}, of "${name}" among them: ${cause}`;
	}
}
