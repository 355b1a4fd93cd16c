/**
 * Port: leases over work that only one process does at a time, e.g. moving events, or a migration.
 * @example
 * ```ts
 * const lease = await leases.acquire("audit.trim");
 * if (!lease) return; // Another process does it.
 * try {
 * 	for (const chain of chains) if (lease.isHeld) await trim(chain);
 * } finally {
 * 	await lease.release();
 * }
 * ```
 */

/** A lease that this process has. It renews itself until it is released or lost. */
export interface Lease {
	/** Grows with each holder. A write that names it in its guard is refused after a newer holder has written. */
	readonly fence: number;
	/** False as soon as another process may have the lease, even if this process was stopped meanwhile. */
	readonly isHeld: boolean;
	/** The signal aborts when the lease is lost or released. */
	readonly signal: AbortSignal;
	/** Hands the lease back, so that another process can have it at once. Safe to call twice. */
	release(): Promise<void>;
}

export interface Leases {
	/**
	 * Takes the lease when nobody has it; undefined when another process has it, or this one does already.
	 * @throws whatever the store throws.
	 */
	acquire(name: string): Promise<Lease | undefined>;
}
