/**
 * Groups writes: all writes that came during one sync of the disk are committed together, with the next one. A write's promise
 * settles only after that sync, and a write that fails does not affect the others of its group. This is no FairQueue, because
 * nobody is faster by a turn of his own: all that wait are one commit.
 */
import { bound } from "#shared/base/bounds.ts";
import { nextTurn } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { makesRoom } from "#shared/base/files/making-room.ts";
import type { EventLogs } from "../port/outbox.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import { UndoneStep } from "./undone-step.ts";

/** The part of the database that commits. */
type Committing = Pick<EmbeddedDatabase, "isShort" | "transaction" | "sync">;

interface Write {
	/** Whether the write is taken when the disk is nearly full. */
	readonly makesRoom: boolean;
	/** Runs the write inside the transaction and remembers its outcome. */
	readonly run: () => void;
	/** Settles the caller's promise with the remembered outcome. */
	readonly settle: () => void;
	readonly fail: (error: unknown) => void;
}

/** The queue of one open database. It needs no closing, but its owner waits until it is settled before the database is closed. */
export class WriteQueue {
	readonly #database: Committing;
	readonly #waiting: Write[] = [];
	#running: Promise<void> | undefined;
	/** The sync of the newest commit, while it runs. */
	#syncing: Promise<void> | undefined;
	#logs: EventLogs | undefined;

	constructor(database: Committing) {
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

	/** Resolves when everything that can be read now is on the disk. @throws {UnavailableError} when the disk fails. */
	async durable(): Promise<void> {
		await this.#syncing;
	}

	/** Resolves when no write waits and the outcome of each is known. */
	async settled(): Promise<void> {
		while (this.#running) await this.#running;
	}

	/** Tells the logs of all later transactions, before their first write and after their commit. */
	async fill(logs: EventLogs): Promise<void> {
		await this.settled();
		this.#logs = logs;
	}

	#schedule(): void {
		if (this.#running || this.#waiting.length === 0) return;
		this.#running = this.#commitNext().finally(() => {
			this.#running = undefined;
			this.#schedule();
		});
	}

	/** Commits one group in the next turn of the event loop. */
	async #commitNext(): Promise<void> {
		await nextTurn();
		const committed = this.#commitGroup();
		if (!committed) return;
		try {
			this.#syncing = this.#database.sync();
			await this.#syncing;
		} catch (error) {
			return fail(committed.writes, error);
		} finally {
			this.#syncing = undefined;
		}
		settle(committed);
	}

	/**
	 * Runs and commits the first writes that wait; returns those whose outcome is known as soon as they are on the disk. The bound
	 * of a group is one of the time for which a commit blocks the event loop.
	 */
	#commitGroup(): Committed | undefined {
		let group: readonly Write[] = this.#waiting.splice(0, bound.writesOfCommit);
		if (this.#database.isShort) group = withRoom(group);
		while (group.length > 0) {
			const remaining = this.#commit(group);
			if (!remaining) return { writes: group, logs: this.#logs };
			group = remaining;
		}
		return undefined;
	}

	/** Commits a group. When one of its writes has to be undone, nothing is committed, and the remaining ones are returned. */
	#commit(group: readonly Write[]): readonly Write[] | undefined {
		let running: Write | undefined;
		const steps = group.map((write) => () => {
			running = write;
			write.run();
		});
		try {
			// The logs are told in the transaction, because it runs twice when the disk has no room for the first one.
			this.#database.transaction([() => this.#logs?.begin(), ...steps]);
			return undefined;
		} catch (error) {
			if (error instanceof UndoneStep && running) {
				running.fail(error.cause);
				return group.filter((write) => write !== running);
			}
			fail(group, error instanceof UnavailableError ? error : unwritable(error));
			return [];
		}
	}
}

/** Writes that SQLite has committed, and the logs that their events were entered into. */
interface Committed {
	readonly writes: readonly Write[];
	readonly logs: EventLogs | undefined;
}

function settle({ writes, logs }: Committed): void {
	for (const write of writes) write.settle();
	logs?.committed();
}

function fail(writes: readonly Write[], error: unknown): void {
	for (const write of writes) write.fail(error);
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
