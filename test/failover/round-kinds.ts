/** The ways in which a replica set loses its primary. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import type { Mongod, MongodSet } from "../support/stores/mongod-set.ts";
import { waitingFile } from "./held-append-store.ts";

export interface Fault {
	readonly set: MongodSet;
	/** The second relay's appends wait while this file exists. */
	readonly hold: string;
}

/** Times by `performance.now`. */
export interface Loss {
	/** The time at which a majority of the members was possible again. */
	readonly back: number;
	/** The time at which one of them was the primary. */
	readonly elected: number;
	/** Brings the lost member back. */
	readonly mend: () => Promise<void>;
}

export type RoundKind = keyof typeof roundKinds;

/** The time for which the primary goes on alone before it notices. */
const aloneMs = 3_000;

export const roundKinds = {
	/**
	 * Writes where the data will be lost: the secondaries die, relays append without confirmation, the primary dies,
	 * the secondaries return.
	 */
	unconfirmed: async ({ set, hold }: Fault): Promise<Loss> => {
		const primary = await set.primary();
		const others = set.members.filter((member) => member !== primary);
		rmSync(waitingFile(hold), { force: true });
		await Promise.all(others.map((member) => member.kill()));
		await sleep(aloneMs / 3);
		// The second relay has read the end of the log that the first one has written.
		writeFileSync(hold, "");
		const isHeld = () => existsSync(waitingFile(hold));
		await eventually(isHeld, { withinMs: aloneMs }).catch(() => {});
		await primary.kill();
		await Promise.all(others.map((member) => member.start()));
		const back = performance.now();
		const elected = await successor(set);
		rmSync(hold);
		return { back, elected, mend: () => primary.start() };
	},

	killed: async ({ set }: Fault): Promise<Loss> => {
		const primary = await set.primary();
		await primary.kill();
		const back = performance.now();
		return { back, elected: await successor(set), mend: () => primary.start() };
	},

	"stepped down": async ({ set }: Fault): Promise<Loss> => {
		const primary = await set.primary();
		const back = performance.now();
		// The server closes the connection of the request.
		await primary.command({ replSetStepDown: 10, force: true }).catch(() => {});
		return { back, elected: await successor(set), mend: async () => {} };
	},

	/** The server does not know when it wakes up that it is not the primary any more. */
	frozen: async ({ set }: Fault): Promise<Loss> => {
		const primary: Mongod = await set.primary();
		primary.freeze();
		const back = performance.now();
		const elected = await successor(set);
		return { back, elected, mend: async () => primary.thaw() };
	},
} as const;

async function successor(set: MongodSet): Promise<number> {
	await set.primary();
	return performance.now();
}
