/** The worst that one user of a platform can do, as a program of its own does it while another user is measured. */
import type { ApiClient } from "../support/clients/api-client.ts";

/** What the attacker has: an account, and what it could learn of others. */
export interface AttackTestbed {
	readonly api: ApiClient;
	/** Base of the API's paths. */
	readonly prefix: string;
	/** Value of `Authorization`. */
	readonly authorization: string;
	/** A session of the other user, whose id has become known. */
	readonly victimId: string;
	/** Its own, and removed when it is over. */
	readonly folder: string;
}

/** One wave; the next one begins when it is over, however it ended. */
export type Wave = () => Promise<unknown>;

export interface Attack {
	/** For `--only`. */
	readonly name: string;
	/** Of `findings`, where there is one. */
	readonly finding?: string;
	/** For the table: what the attacker does. */
	readonly does: string;
	/** Prepares it; the other user's baseline is measured then, before the first wave. */
	readonly begin: (testbed: AttackTestbed) => Promise<Wave>;
}

/** As many at once, whatever becomes of each. */
export function atOnce(count: number, request: (index: number) => Promise<unknown>): Promise<unknown> {
	return Promise.allSettled(Array.from({ length: count }, (_, index) => request(index)));
}
