/** An installation with one collection, for tests of archives. */
import { join } from "node:path";
import { importCollection } from "#host/archive/import-mark.ts";
import type { Installation } from "#host/archive/installation.ts";
import { eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";

/** Texts that tell one installation from another. */
export const marks = defineCollection("marks", { text: "text" }, {});

/** @param url The address of MongoDB; undefined: the store is embedded. */
export function smallInstallation(dataDir: string, url?: string): Installation {
	return {
		dataDir,
		collections: [marks, eventLogNameCollection, leaseCollection, importCollection],
		newStore: async (folder) => (url === undefined ? new EmbeddedStore({ folder }) : new MongodbStore({ url })),
		credentials: join(dataDir, "credentials"),
		configuredKey: "",
	};
}
