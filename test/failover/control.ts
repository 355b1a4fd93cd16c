/** What the failover run is about, taken away: reads as the primary alone has it, and gaps that stay. */
import type { Patch } from "../faults/patched-tree.ts";

const store = "shared/store/mongodb-store.ts";

export const controlPatches: readonly Patch[] = [
	{ file: store, from: 'readConcern: { level: "majority" },', to: 'readConcern: { level: "local" },' },
	{ file: store, from: "if (this.#seen) session.advanceOperationTime(this.#seen);", to: "" },
	{
		file: "services/sessions/event-log.ts",
		from: "await this.#mend(after, documents[0]?.seq);",
		to: "void this.#mend;",
	},
];
