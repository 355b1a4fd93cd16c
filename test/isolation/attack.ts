/** An attack of one user of a platform, which runs as a separate program while another user is measured. */
import type { ApiClient } from "../support/clients/api-client.ts";

/** The means of the attacker: an account, and what it could learn about others. */
export interface AttackTestbed {
	readonly api: ApiClient;
	/** The base of the API's paths. */
	readonly prefix: string;
	/** The value of `Authorization`. */
	readonly authorization: string;
	/** A session of the other user, whose id is known to the attacker. */
	readonly victimId: string;
	/** The attacker's own folder, which is removed at the end. */
	readonly folder: string;
}

/** Runs one wave; the next one begins when it has ended in any way. */
export type Wave = () => Promise<unknown>;

export interface Attack {
	/** The name for `--only`. */
	readonly name: string;
	/** The number of the finding, if there is one. */
	readonly finding?: string;
	/** The description of the attack for the table. */
	readonly does: string;
	/** Prepares the attack. The other user's baseline is measured afterwards, before the first wave. */
	readonly begin: (testbed: AttackTestbed) => Promise<Wave>;
}

/** Runs as many at once, and ignores their outcome. */
export function atOnce(count: number, request: (index: number) => Promise<unknown>): Promise<unknown> {
	return Promise.allSettled(Array.from({ length: count }, (_, index) => request(index)));
}
