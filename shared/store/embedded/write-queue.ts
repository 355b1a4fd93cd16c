/**
 * Groups writes: all writes of one tick are committed together, with one sync of the disk. A write's promise settles
 * only after the commit, and a write that fails does not affect the others of its group. This is no FairQueue, because nobody
 * is faster by a turn of his own: all that wait are one commit.
 */
import { bound } from "#shared/base/bounds.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { makesRoom } from "#shared/base/files/making-room.ts";
import type { EventLogs } from "../port/outbox.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import { UndoneStep } from "./undone-step.ts";

interface Write {
	/** Whether the write is taken when the disk is nearly full. */
	readonly makesRoom: boolean;
	/** Runs the write inside the transaction and remembers its outcome. */
	readonly run: () => void;
	/** Settles the caller's promise with the remembered outcome. */
	readonly settle: () => void;
	readonly fail: (error: unknown) => void;
}

/** The queue of one open database. It needs no closing, but its owner drains it before the database is closed. */
export class WriteQueue {
	readonly #database: EmbeddedDatabase;
	readonly #waiting: Write[] = [];
	#scheduled = false;
	#logs: EventLogs | undefined;

	constructor(database: EmbeddedDatabase) {
		this.#database = database;
	}

	/**
	 * Resolves to the result of `run` when it is durable; rejects with the error that `run` throws.
	 * @throws {UnavailableError} when too many writes wait, or the disk refuses the commit.
	 */
	async add<T>(run: () => T): Promise<T> {
		if (this.#waiting.length >= bound.waitingWrites)
			throw new UnavailableError(
				`Too many writes are waiting for the store: ${bound.waitingWrites}`,
				"STORE_OVERLOADED",
			);
		const outcome = new Promise<T>((resolve, reject) => this.#waiting.push(write(run, resolve, reject)));
		this.#schedule();
		return outcome;
	}

	/** Commits all waiting writes at once. */
	drain(): void {
		while (this.#waiting.length > 0) this.#commitGroup();
	}

	/** Tells the logs of all later transactions, before their first write and after their commit. */
	fill(logs: EventLogs): void {
		this.drain();
		this.#logs = logs;
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

	/** The bound of a group is one of the time for which a commit blocks the event loop. */
	#commitGroup(): void {
		let group: readonly Write[] = this.#waiting.splice(0, bound.writesOfCommit);
		if (this.#database.isShort) group = withRoom(group);
		while (group.length > 0) {
			const undone = this.#commit(group);
			if (!undone) return;
			group = group.filter((write) => write !== undone);
		}
	}

	/** Commits a group and settles its writes; returns the write that has to be undone, and then nothing is committed. */
	#commit(group: readonly Write[]): Write | undefined {
		let running: Write | undefined;
		const steps = group.map((write) => () => {
			running = write;
			write.run();
		});
		try {
			// The logs are told in the transaction, because it runs twice when the disk has no room for the first one.
			this.#database.transaction([() => this.#logs?.begin(), ...steps]);
		} catch (error) {
			if (error instanceof UndoneStep && running) {
				running.fail(error.cause);
				return running;
			}
			const failure = error instanceof UnavailableError ? error : unwritable(error);
			for (const { fail } of group) fail(failure);
			return undefined;
		}
		for (const { settle } of group) settle();
		this.#logs?.committed();
		return undefined;
	}
}

/** Refuses the writes of a group that make no room; returns the others. */
function withRoom(group: readonly Write[]): readonly Write[] {
	const refused = new UnavailableError(
		"The disk of the store has hardly any room, and what is left is for stops and deletions",
		"STORE_SHORT_OF_ROOM",
	);
	for (const { makesRoom, fail } of group) if (!makesRoom) fail(refused);
	return group.filter((one) => one.makesRoom);
}

function unwritable(error: unknown): UnavailableError {
	const reason = error instanceof Error ? error.message : String(error);
	return new UnavailableError(`Cannot write to the store: ${reason}`, "STORE_UNWRITABLE");
}

function write<T>(run: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): Write {
	let settle: () => void;
	return {
		makesRoom: makesRoom(),
		run() {
			try {
				const value = run();
				settle = () => resolve(value);
			} catch (error) {
				if (error instanceof UndoneStep) throw error;
				settle = () => reject(error);
			}
		},
		settle: () => settle(),
		fail: reject,
	};
}
