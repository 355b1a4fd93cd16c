/**
 * Chooses a gateway for each request in turn, like a load balancer: one that is dead or frozen gets none, and what is
 * under way there ends.
 */
import type { Cluster } from "../../support/cluster/start-cluster.ts";
import type { Way } from "../../support/clients/api-client.ts";

export class Gateways {
	readonly #cluster: Cluster;
	readonly #endings = new Map<string, AbortController>();
	readonly #lost = new Set<string>();
	#turn = 0;

	constructor(cluster: Cluster) {
		this.#cluster = cluster;
		for (const { name } of cluster.membersOf("gateway")) this.#endings.set(name, new AbortController());
	}

	/** Returns the way of the next request; to one of the lost gateways when all are lost. */
	readonly way = (): Way => {
		const names = [...this.#endings.keys()];
		const served = names.filter((name) => !this.#lost.has(name));
		const among = served.length > 0 ? served : names;
		const name = among[this.#turn++ % among.length] ?? "";
		const signal = this.#endings.get(name)?.signal;
		return { base: this.#cluster.prefixOf(name), ...(signal && { signal }) };
	};

	/** Ends what is under way at a gateway, and sends nothing there until `regain`; others are no gateways. */
	lose(name: string): void {
		const ending = this.#endings.get(name);
		if (!ending) return;
		this.#lost.add(name);
		this.#endings.set(name, new AbortController());
		ending.abort();
	}

	regain(name: string): void {
		this.#lost.delete(name);
	}
}
