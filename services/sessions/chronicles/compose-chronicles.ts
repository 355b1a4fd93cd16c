/** Composes the chronicles within the sessions part. */
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { Outbox } from "#shared/store/port/outbox.ts";
import type { SessionCreations } from "../commands/session-creations.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { SessionRules } from "../commands/session-rules.ts";
import { chroniclePurge } from "./chronicle-purge.ts";
import { chronicleCollection, timelineChunkCollection, timelineCollection } from "./chronicle-collections.ts";
import { ChronicleRecords } from "./chronicle-records.ts";
import { SessionChronicles } from "./session-chronicles.ts";
import { SessionReforge } from "./session-reforge.ts";
import { Timelines } from "./timelines.ts";

/** The collections, in the order in which their events are moved. */
export const chronicleCollections = [chronicleCollection, timelineCollection, timelineChunkCollection] as const;

interface ChroniclesDependencies {
	readonly store: Documents & Outbox;
	/** Called after every write that has an event. */
	readonly wake: () => void;
	readonly sessions: SessionRecords;
	readonly creations: SessionCreations;
	readonly rules: SessionRules;
	readonly log: ServiceLog;
}

export type Chronicles = ReturnType<typeof composeChronicles>;

export function composeChronicles(dependencies: ChroniclesDependencies) {
	const { store, wake, sessions, creations, rules, log } = dependencies;
	const records = new ChronicleRecords(store, wake);
	const timelines = new Timelines(store, wake);
	return {
		sessions,
		records,
		timelines,
		ofSession: new SessionChronicles(records, timelines),
		reforge: new SessionReforge(creations, rules),
		purge: chroniclePurge({ store, records, timelines }, log),
	};
}
