/** Removes the protections of the failover run: reads return local data, and gaps remain. */
import type { Patch } from "../faults/patched-tree.ts";

const connection = "shared/store/mongodb/mongodb-connection.ts";

export const controlPatches: readonly Patch[] = [
	{
		file: connection,
		from: 'const majority = { readConcern: { level: "majority" } } as const;',
		to: 'const majority = { readConcern: { level: "local" } } as const;',
	},
	{ file: connection, from: "if (this.#seen) session.advanceOperationTime(this.#seen);", to: "" },
	{
		file: "shared/store/event-log/event-log.ts",
		from: "await this.#mend(after, documents[0]?.seq);",
		to: "void this.#mend;",
	},
];
