/** Offers the event log on the bus, and runs the relay that fills it. */
import type { Service, ServiceSchema } from "moleculer";
import { implement, publish } from "#shared/bus/service.ts";
import { eventLog as contract, logAppended } from "#shared/contracts/event-log.ts";
import type { EventLog } from "#shared/event-log/event-log.ts";
import type { OutboxRelay } from "#shared/event-log/outbox-relay.ts";

export function eventLogService(log: EventLog, relay: OutboxRelay): ServiceSchema {
	return {
		name: contract.name,
		actions: implement(contract, {
			head: () => log.head(),
			read: ({ after, limit }) => log.read(after, limit),
		}),
		async started(this: Service) {
			const { broker } = this;
			// The hint may be lost: readers of the log also poll it each second.
			relay.onAppended((seq) => void publish(broker, logAppended, { seq }).catch(() => {}));
			relay.start();
		},
		stopped: () => relay.stop(),
	};
}
