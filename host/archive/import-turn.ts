/**
 * The turn of the one command that fills a shared store. A lease ends when the store or the machine stalls for longer than
 * {@link StoredLeases} allow, although no other command has begun. The turn takes such a lease again, and is over only when
 * another command has had it.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { TimeoutError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import type { Lease } from "#shared/store/leases/leases.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { FenceLostError } from "#shared/store/port/fence.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import { decoratedStore } from "#shared/store/decorated-store.ts";
import { ArchiveError } from "./archive-format.ts";
import { TakenOverError } from "./half-done.ts";
import { type ClaimedMark, claimImport, fenceOf, settleImport } from "./import-mark.ts";

/** The lease of the one command that fills the store. */
export const importLease = "import";

/** A lease that is not renewed for so long is free, with a second for looking, in milliseconds. */
const killedMs = 5_500;
const lookMs = 250;

/** The time for which a command that is ready waits for a store that does not answer, in milliseconds. */
const silentMs = 60_000;

/** A server ends a write of which it hears nothing more after 60 s, and looks every 30 s, in milliseconds. */
const openMs = 120_000;

export class ImportTurn implements AsyncDisposable {
	readonly #store: DocumentStore;
	readonly #leases: StoredLeases;
	/** The name under which this process has the lease in the store. */
	readonly #holder: string | undefined;
	#lease: Lease;
	#mark: ClaimedMark | undefined;
	#isTaken = false;
	#isOver = false;

	private constructor(store: DocumentStore, leases: StoredLeases, lease: Lease, holder: string | undefined) {
		this.#store = store;
		this.#leases = leases;
		this.#holder = holder;
		this.#lease = lease;
		this.#watch();
	}

	/** Begins a turn, also after an import which was killed. @throws {ArchiveError} when another one goes on. */
	static async begin(store: DocumentStore): Promise<ImportTurn> {
		const leases = new StoredLeases(store);
		for (const begun = monotonic(); ; await sleep(lookMs)) {
			const lease = await leases.acquire(importLease);
			if (lease) return new ImportTurn(store, leases, lease, await holderOf(store, lease));
			if (monotonic() - begun > killedMs)
				throw new ArchiveError("Another import into this store is under way: try again when it has ended");
		}
	}

	/**
	 * Marks the store; from then on no earlier command writes into it. A write of one that is under way is waited for: the server
	 * ends it when its command has vanished. @throws {ArchiveError}
	 */
	async claim(say: (line: string) => void): Promise<void> {
		const begun = monotonic();
		for (let isFirst = true; !this.#mark; isFirst = false) {
			try {
				this.#mark = await claimImport(this.#store, () => this.confirm());
			} catch (error) {
				if (!isUndecided(error) || monotonic() - begun > openMs) throw error;
				if (isFirst)
					say(`A write of another command into this store is under way; it is waited for, at most ${openMs / 1_000} s`);
			}
		}
	}

	/** Takes back a mark of which nothing has come: the store is as it was. */
	async unclaim(): Promise<void> {
		if (this.#mark?.wasHalf === false) await this.settle();
	}

	/** Marks the store as done. @throws {TakenOverError} when another command has begun, whatever became of it. */
	async settle(): Promise<void> {
		await this.confirm();
		if (!this.#mark || !(await settleImport(this.#store, this.#mark.turns))) throw new TakenOverError();
	}

	/** Returns a store that writes only while this command has its turn. */
	guard(store: DocumentStore): DocumentStore {
		const fenced = this.#fenced(store);
		const during = async <T>(write: () => Promise<T>): Promise<T> => {
			await this.confirm();
			return write().catch((error: unknown) => {
				throw error instanceof FenceLostError ? new TakenOverError() : error;
			});
		};
		const insert: DocumentStore["insert"] = (...given) => during(() => fenced.insert(...given));
		const append: DocumentStore["append"] = (...given) => during(() => fenced.append(...given));
		const update: DocumentStore["update"] = (...given) => during(() => fenced.update(...given));
		const remove: DocumentStore["remove"] = (...given) => during(() => fenced.remove(...given));
		const removeMany: DocumentStore["removeMany"] = (...given) => during(() => fenced.removeMany(...given));
		return decoratedStore(store, { insert, append, update, remove, removeMany });
	}

	/** The server refuses what reaches it when another command has claimed the mark, however long this one stalled before. */
	#fenced(store: DocumentStore): Documents {
		if (!this.#mark) throw new Error("The mark is not claimed");
		return store.fenced?.(fenceOf(this.#mark)) ?? store;
	}

	/** Resolves when no other command has filled the store since the beginning, and none does now. @throws {ArchiveError} */
	async confirm(): Promise<void> {
		for (const begun = monotonic(); this.#isTaken || !this.#lease.isHeld; await sleep(lookMs)) {
			if (this.#isTaken) throw new TakenOverError();
			if (monotonic() - begun > silentMs)
				throw new ArchiveError(`The store has not answered for ${silentMs / 1_000} s, so another command may fill it`);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isOver = true;
		// A store that does not answer lets the lease run out.
		await this.#lease.release().catch(() => {});
	}

	#watch(): void {
		const { signal } = this.#lease;
		if (signal.aborted) void this.#continue();
		else signal.addEventListener("abort", () => void this.#continue());
	}

	async #continue(): Promise<void> {
		while (!this.#isOver && !this.#isTaken) {
			const isSettled = await this.#takeAgain().catch(() => false);
			if (isSettled) return;
			await sleep(lookMs);
		}
	}

	/** Whether it is known who has the turn. The holder in the store is still this process unless another one has had it. */
	async #takeAgain(): Promise<boolean> {
		const found = await this.#store.get(leaseCollection, importLease);
		this.#isTaken = found?.holder !== this.#holder;
		if (this.#isTaken) return true;
		const lease = await this.#leases.acquire(importLease);
		if (!lease) return false;
		// Another command may have taken the lease and released it since it was read.
		this.#isTaken = lease.fence !== (found?.fence ?? 0) + 1;
		this.#lease = lease;
		this.#watch();
		if (this.#isOver) await lease.release();
		return true;
	}
}

function isUndecided(error: unknown): boolean {
	return error instanceof TimeoutError && error.type === "STORE_UNDECIDED";
}

async function holderOf(store: DocumentStore, { fence }: Lease): Promise<string | undefined> {
	const found = await store.get(leaseCollection, importLease);
	return found?.fence === fence ? found.holder : undefined;
}
