/**
 * Leases in a store that several processes share.
 *
 * Another process takes a lease when it has seen it unchanged for its whole length, and the holder gives a lease up two
 * seconds earlier unless it could renew it. Both count on their monotonic clocks, so no wall clock decides who has a
 * lease, however wrong it is; the end that a holder writes makes each renewal a change. A lease that its holder has
 * released is free at once.
 */
import { randomUUID } from "node:crypto";
import { after, every, monotonic, now, type Timer } from "#shared/base/clock.ts";
import type { Document } from "../collection.ts";
import type { DocumentStore } from "../document-store.ts";
import { insertOnce } from "../insert-once.ts";
import { leaseCollection } from "./lease-collection.ts";
import type { Lease, Leases } from "./leases.ts";

/** How long a lease lasts without being renewed, in milliseconds. */
const defaultLeaseMs = 4_500;

/** A holder gives its lease up so long before another process can take it, in milliseconds. */
const marginMs = 2_000;

/** The renewals within the time in which a lease is surely held. */
const renewals = 2.5;

type LeaseDocument = Document<(typeof leaseCollection)["columns"]>;

/** A state of a lease of another process, and when this process saw it first, on its monotonic clock. */
interface Sighting {
	readonly fence: number | undefined;
	readonly until: number | undefined;
	readonly since: number;
}

export class StoredLeases implements Leases {
	readonly #store: DocumentStore;
	readonly #ms: number;
	readonly #holder = randomUUID();
	readonly #held = new Set<string>();
	readonly #sightings = new Map<string, Sighting>();

	/**
	 * @param store A store with the collection of leases.
	 * @param ms How long a lease lasts without being renewed, in milliseconds; more than two seconds.
	 */
	constructor(store: DocumentStore, ms = defaultLeaseMs) {
		if (ms <= marginMs) throw new RangeError(`A lease lasts longer than ${marginMs} ms`);
		this.#store = store;
		this.#ms = ms;
	}

	async acquire(name: string): Promise<Lease | undefined> {
		if (this.#held.has(name)) return undefined;
		this.#held.add(name);
		let lease: Lease | undefined;
		try {
			lease = await this.#take(name);
		} finally {
			if (!lease) this.#held.delete(name);
		}
		lease?.signal.addEventListener("abort", () => this.#held.delete(name));
		return lease;
	}

	async #take(name: string): Promise<Lease | undefined> {
		const asked = monotonic();
		const found = await this.#store.get(leaseCollection, name);
		if (found && !this.#isFree(found)) return undefined;
		const fence = (found?.fence ?? 0) + 1;
		const set = { holder: this.#holder, until: now() + this.#ms, fence };
		// A renewal that came after the reading changes `until`, so that it is not overtaken.
		const isTaken = found
			? await this.#store.update(leaseCollection, name, { equals: seenIn(found) }, { set })
			: await insertOnce(() => this.#store.insert(leaseCollection, { id: name, wire: "{}", ...set }));
		if (!isTaken) return undefined;
		this.#sightings.delete(name);
		return new StoredLease({ store: this.#store, name, holder: this.#holder, fence, ms: this.#ms }, asked);
	}

	/** Whether a lease may be taken: nobody has it, nobody renews it, or this process had it and does not know so. */
	#isFree({ id, holder = "", until, fence }: LeaseDocument): boolean {
		if (holder === "" || holder === this.#holder) return true;
		const seen = this.#sightings.get(id);
		if (seen && seen.fence === fence && seen.until === until) return monotonic() - seen.since > this.#ms;
		this.#sightings.set(id, { fence, until, since: monotonic() });
		return false;
	}
}

/** Returns the columns that every renewal and every new holder changes, for a guard. */
function seenIn({ fence, until }: LeaseDocument): { fence?: number; until?: number } {
	return { ...(fence !== undefined && { fence }), ...(until !== undefined && { until }) };
}

interface Holding {
	readonly store: DocumentStore;
	readonly name: string;
	readonly holder: string;
	readonly fence: number;
	readonly ms: number;
}

class StoredLease implements Lease {
	readonly #holding: Holding;
	readonly #ended = new AbortController();
	readonly #renewing: Timer;
	#heldUntil = 0;
	#loss: Timer | undefined;

	/** @param asked The time before the lease was written, on the monotonic clock. */
	constructor(holding: Holding, asked: number) {
		this.#holding = holding;
		this.#extend(asked);
		this.#renewing = every((holding.ms - marginMs) / renewals, () => void this.#renew());
	}

	get fence(): number {
		return this.#holding.fence;
	}

	get isHeld(): boolean {
		return !this.#ended.signal.aborted && monotonic() < this.#heldUntil;
	}

	get signal(): AbortSignal {
		return this.#ended.signal;
	}

	async release(): Promise<void> {
		if (this.#ended.signal.aborted) return;
		this.#end();
		await this.#write("", 0);
	}

	/** A renewal that was slower than a later one shortens nothing. */
	#extend(asked: number): void {
		const heldUntil = asked + this.#holding.ms - marginMs;
		if (heldUntil <= this.#heldUntil) return;
		this.#heldUntil = heldUntil;
		this.#loss?.cancel();
		this.#loss = after(this.#heldUntil - monotonic(), () => this.#end());
	}

	async #renew(): Promise<void> {
		const asked = monotonic();
		if (!this.isHeld) return this.#end();
		// A failed renewal is repeated soon; the lease ends by itself when all of them fail.
		const isRenewed = await this.#write(this.#holding.holder, now() + this.#holding.ms).catch(() => undefined);
		if (this.#ended.signal.aborted) return;
		if (isRenewed) this.#extend(asked);
		else if (isRenewed === false) this.#end();
	}

	/** Writes holder and end of the lease; false when another process has it. */
	async #write(holder: string, until: number): Promise<boolean> {
		const { store, name, fence, holder: own } = this.#holding;
		const guard = { equals: { holder: own, fence } };
		return (await store.update(leaseCollection, name, guard, { set: { holder, until } })) !== undefined;
	}

	#end(): void {
		this.#renewing.cancel();
		this.#loss?.cancel();
		this.#ended.abort();
	}
}
