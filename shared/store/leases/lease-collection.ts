/** The leases of the platform: one document for each kind of work that only one process does at a time. */
import { defineCollection } from "../collection.ts";

/**
 * Its id is the name of the work. An empty `holder` means that nobody has it. Each renewal changes `until`, which former
 * versions take for the end of the lease.
 */
export const leaseCollection = defineCollection(
	"leases",
	{ holder: "text", until: "integer", fence: "integer" },
	{},
	{ isTransient: true },
);
