/** The event log on the bus, and the relay that feeds it. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { eventLog as contract } from "#shared/contracts/event-log.ts";
import type { EventLog } from "#shared/event-log/event-log.ts";
import type { OutboxRelay } from "#shared/event-log/outbox-relay.ts";

export function eventLogService(log: EventLog, relay: OutboxRelay): ServiceSchema {
	return {
		name: contract.name,
		actions: implement(contract, {
			head: () => log.head(),
			read: ({ after, limit }) => log.read(after, limit),
		}),
		started: async () => relay.start(),
		stopped: () => relay.stop(),
	};
}
