/** Shows which leases this process holds. */
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { Lease, Leases } from "./leases.ts";

/** Passes leases on and remembers them while they are held. */
export class MeasuredLeases implements Leases {
	readonly #leases: Leases;
	/** The newest lease of each name; names are those of jobs, so there are few. */
	readonly #held = new Map<string, Lease>();

	constructor(leases: Leases, metrics: Metrics) {
		this.#leases = leases;
		metrics.sample("atelier_leases_held", () =>
			[...this.#held].map(([name, { isHeld }]) => ({ labels: [name], value: isHeld ? 1 : 0 })),
		);
	}

	async acquire(name: string): Promise<Lease | undefined> {
		const lease = await this.#leases.acquire(name);
		if (lease) this.#held.set(name, lease);
		return lease;
	}
}
