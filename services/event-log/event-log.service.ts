/** Offers the event log on the bus, and runs the relay that fills it. */
import type { Service, ServiceSchema } from "moleculer";
import { implement, on, publish } from "#shared/bus/service.ts";
import { eventLog as contract, logAppended, outboxWritten } from "#shared/contracts/event-log.ts";
import type { EventLog } from "#shared/store/event-log/event-log.ts";
import type { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";

export function eventLogService(log: EventLog, relay: OutboxRelay): ServiceSchema {
	return {
		name: contract.name,
		actions: implement(contract, {
			head: () => log.head(),
			read: ({ after, limit }) => log.read(after, limit),
		}),
		events: {
			...on(logAppended, ({ seq }) => relay.movedElsewhere(seq)),
			...on(outboxWritten, ({ all }) => relay.hinted(all)),
		},
		async started(this: Service) {
			const { broker } = this;
			// Hints may be lost: readers of the log poll it each second, and the relay polls the outboxes.
			relay.onMoved((seq) => void publish(broker, logAppended, { seq }).catch(() => {}));
			relay.onHint((all) => void publish(broker, outboxWritten, { all }).catch(() => {}));
			relay.start();
		},
		stopped: () => relay.stop(),
	};
}
