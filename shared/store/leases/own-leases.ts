/** The leases of a process that has its store for itself: nobody else wants them, so they cost nothing. */
import type { Lease, Leases } from "./leases.ts";

/** Grants each lease at once, unless this process has it. */
export class OwnLeases implements Leases {
	readonly #held = new Set<string>();

	async acquire(name: string): Promise<Lease | undefined> {
		if (this.#held.has(name)) return undefined;
		this.#held.add(name);
		const released = new AbortController();
		const { signal } = released;
		const release = async () => {
			if (!signal.aborted) this.#held.delete(name);
			released.abort();
		};
		return {
			fence: 1,
			signal,
			get isHeld() {
				return !signal.aborted;
			},
			release,
		};
	}
}
