/**
 * The newest entries of the event log in memory, by tenant. When there are too many, the oldest of the tenant that has most
 * are forgotten, so that a busy tenant takes nothing of what the clients of others can continue from.
 */
import type { Addressed, Audience } from "./audience.ts";

/** All clients of its audience share the frame. */
export interface TailEntry extends Addressed {
	readonly seq: number;
	readonly frame: Buffer;
	/** The time of the event in milliseconds since 1970. */
	readonly at: number;
}

/** The bounds on the entries of all tenants together. */
const mostRetained = { entries: 10_000, bytes: 64 * 1024 * 1024 } as const;

interface Retained {
	/** Ascending by number. There is at least one. */
	readonly entries: TailEntry[];
	bytes: number;
	/** The number of the newest entry that was forgotten; 0 when none was. */
	forgotten: number;
}

export class RetainedEntries {
	readonly #byTenant = new Map<string, Retained>();
	/** All entries after this number are there, but for those that a tenant's `forgotten` tells. */
	#floor = 0;
	#entries = 0;
	#bytes = 0;

	/** Forgets all entries up to a number, which must be the newest. */
	clear(seq: number): void {
		this.#byTenant.clear();
		this.#floor = seq;
		this.#entries = 0;
		this.#bytes = 0;
	}

	/** Adds the newest entry. */
	add(entry: TailEntry): void {
		const its = this.#byTenant.get(entry.tenant) ?? { entries: [], bytes: 0, forgotten: 0 };
		this.#byTenant.set(entry.tenant, its);
		its.entries.push(entry);
		this.#count(its, 1, entry.frame.length);
		while (this.#entries > mostRetained.entries) this.#forgetOldest(({ entries }) => entries.length);
		while (this.#bytes > mostRetained.bytes) this.#forgetOldest(({ bytes }) => bytes);
	}

	/** Whether all entries for an audience after this number are there. */
	hasAllAfter(seq: number, { principal: { tenant } }: Audience): boolean {
		return seq >= Math.max(this.#floor, this.#byTenant.get(tenant)?.forgotten ?? 0);
	}

	/** Returns the entries of the audience's tenant after this number, in order. */
	after(seq: number, { principal: { tenant } }: Audience): readonly TailEntry[] {
		const { entries = [] } = this.#byTenant.get(tenant) ?? {};
		return entries.slice(entries.findLastIndex((entry) => entry.seq <= seq) + 1);
	}

	/** Forgets the oldest entry of the tenant with most of this; among equal ones, of the one whose entry is oldest. */
	#forgetOldest(amountOf: (retained: Retained) => number): void {
		let most: [string, Retained] | undefined;
		for (const one of this.#byTenant) if (!most || isMore(one[1], most[1], amountOf)) most = one;
		const [tenant, its] = most ?? [];
		const oldest = its?.entries.shift();
		if (tenant === undefined || !its || !oldest) return;
		its.forgotten = oldest.seq;
		this.#count(its, -1, -oldest.frame.length);
		if (its.entries.length > 0) return;
		// Nothing is kept of a tenant without entries, so that the count of tenants is bounded too.
		this.#byTenant.delete(tenant);
		this.#floor = Math.max(this.#floor, oldest.seq);
	}

	#count(its: Retained, entries: number, bytes: number): void {
		its.bytes += bytes;
		this.#entries += entries;
		this.#bytes += bytes;
	}
}

function isMore(one: Retained, other: Retained, amountOf: (retained: Retained) => number): boolean {
	const more = amountOf(one) - amountOf(other);
	return more > 0 || (more === 0 && (one.entries[0]?.seq ?? 0) < (other.entries[0]?.seq ?? 0));
}
