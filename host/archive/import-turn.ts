/**
 * The turn of the one command that fills a shared store. A lease ends when the store or the machine stalls for longer than
 * {@link StoredLeases} allow, although no other command has begun. The turn takes such a lease again, and is over only when
 * another command has had it.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import type { Lease } from "#shared/store/leases/leases.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import { decoratedStore } from "#shared/store/decorated-store.ts";
import { ArchiveError } from "./archive-format.ts";
import { TakenOverError } from "./half-done.ts";
import { type ClaimedMark, claimImport, settleImport } from "./import-mark.ts";

/** The lease of the one command that fills the store. */
export const importLease = "import";

/** A lease that is not renewed for so long is free, with a second for looking, in milliseconds. */
const killedMs = 5_500;
const lookMs = 250;

/** The time for which a command that is ready waits for a store that does not answer, in milliseconds. */
const silentMs = 60_000;

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

	/** Marks the store; from then on no earlier command writes into it. @throws {ArchiveError} */
	async claim(): Promise<void> {
		this.#mark = await claimImport(this.#store, () => this.confirm());
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
		const confirm = () => this.confirm();
		const insert: DocumentStore["insert"] = async (...given) => confirm().then(() => store.insert(...given));
		const append: DocumentStore["append"] = async (...given) => confirm().then(() => store.append(...given));
		const update: DocumentStore["update"] = async (...given) => confirm().then(() => store.update(...given));
		const remove: DocumentStore["remove"] = async (...given) => confirm().then(() => store.remove(...given));
		const removeMany: DocumentStore["removeMany"] = async (...given) =>
			confirm().then(() => store.removeMany(...given));
		return decoratedStore(store, { insert, append, update, remove, removeMany });
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

async function holderOf(store: DocumentStore, { fence }: Lease): Promise<string | undefined> {
	const found = await store.get(leaseCollection, importLease);
	return found?.fence === fence ? found.holder : undefined;
}
