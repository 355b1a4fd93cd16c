/**
 * Writes of one tick, committed together: one sync of the disk for all of them. Each is told its outcome only when the
 * commit is done, and one that fails by itself takes nothing from its neighbours.
 */
import { UnavailableError } from "../errors.ts";
import type { EmbeddedDatabase } from "./embedded/embedded-database.ts";

/** Writes that wait; more are refused. */
const maxWaiting = 10_000;
/** Writes in one commit; bounds how long the event loop stands still. */
const maxGroup = 512;

interface Write {
	/** Runs inside the transaction and keeps the outcome. */
	readonly run: () => void;
	/** Tells the outcome. */
	readonly settle: () => void;
	readonly fail: (error: Error) => void;
}

export class WriteQueue {
	readonly #database: EmbeddedDatabase;
	readonly #waiting: Write[] = [];
	#scheduled = false;

	constructor(database: EmbeddedDatabase) {
		this.#database = database;
	}

	/**
	 * Resolves to what `run` returns, when it is durable; rejects with what it throws.
	 * @throws {UnavailableError} when too many writes wait, or the disk refuses the commit.
	 */
	async add<T>(run: () => T): Promise<T> {
		if (this.#waiting.length >= maxWaiting)
			throw new UnavailableError(`Too many writes are waiting for the store: ${maxWaiting}`, "STORE_OVERLOADED");
		const outcome = new Promise<T>((resolve, reject) => this.#waiting.push(write(run, resolve, reject)));
		this.#schedule();
		return outcome;
	}

	/** Commits what waits, at once. */
	drain(): void {
		while (this.#waiting.length > 0) this.#commitGroup();
	}

	#schedule(): void {
		if (this.#scheduled || this.#waiting.length === 0) return;
		this.#scheduled = true;
		setImmediate(() => {
			this.#scheduled = false;
			this.#commitGroup();
			this.#schedule();
		});
	}

	#commitGroup(): void {
		const group = this.#waiting.splice(0, maxGroup);
		if (group.length === 0) return;
		try {
			this.#database.transaction(group.map(({ run }) => run));
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			const failure = new UnavailableError(`Cannot write to the store: ${reason}`, "STORE_UNWRITABLE");
			for (const { fail } of group) fail(failure);
			return;
		}
		for (const { settle } of group) settle();
	}
}

function write<T>(run: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): Write {
	let settle: () => void;
	return {
		run() {
			try {
				const value = run();
				settle = () => resolve(value);
			} catch (error) {
				settle = () => reject(error);
			}
		},
		settle: () => settle(),
		fail: reject,
	};
}
