/** How a replica set loses its primary. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import type { Mongod, MongodSet } from "../support/stores/mongod-set.ts";
import { waitingFile } from "./held-append-store.ts";

export interface Fault {
	readonly set: MongodSet;
	/** While it is there, the second relay's appends wait. */
	readonly hold: string;
}

/** By `performance.now`. */
export interface Loss {
	/** When a majority of the members could be had again. */
	readonly back: number;
	/** When one of them was the primary. */
	readonly elected: number;
	/** Brings back the member that was lost. */
	readonly mend: () => Promise<void>;
}

export type RoundKind = keyof typeof roundKinds;

/** The primary goes on alone so long, before it sees that it is alone. */
const aloneMs = 3_000;

export const roundKinds = {
	/** Written where it is lost: the secondaries die, relays append and are not confirmed, the primary dies, the secondaries return. */
	unconfirmed: async ({ set, hold }: Fault): Promise<Loss> => {
		const primary = await set.primary();
		const others = set.members.filter((member) => member !== primary);
		rmSync(waitingFile(hold), { force: true });
		await Promise.all(others.map((member) => member.kill()));
		await sleep(aloneMs / 3);
		// From here on the second relay has read the end of the log that the first one has written.
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
		// It closes the connection that asked.
		await primary.command({ replSetStepDown: 10, force: true }).catch(() => {});
		return { back, elected: await successor(set), mend: async () => {} };
	},

	/** It does not know that it is not the primary any more when it wakes up. */
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
