/** The event log's part. It runs in every process whose documents have events, because its relay moves those of this process. */
import type { Part, StoringPlatform } from "#shared/platform.ts";
import { eventLogCollection, eventLogNameCollection } from "#shared/event-log/event-log-collection.ts";
import { eventLogService } from "./event-log.service.ts";

export const collections = [eventLogCollection, eventLogNameCollection] as const;

export async function compose({ eventLog, relay }: StoringPlatform): Promise<Part> {
	return { services: [eventLogService(eventLog, relay)] };
}
