/** Wires the event stream to the bus. The gateway beside it serves its one action with the raw response. */
import type { Service, ServiceSchema } from "moleculer";
import { on } from "#shared/bus/service.ts";
import { logAppended } from "#shared/contracts/event-log.ts";
import { stream as contract } from "#shared/contracts/stream.ts";
import type { EventStream } from "./event-stream.ts";

export function streamService(stream: EventStream): ServiceSchema {
	return {
		name: contract.name,

		events: {
			...on(logAppended, ({ seq }) => stream.hint(seq)),
			"$services.changed": () => stream.lookAgain(),
		},

		async started(this: Service) {
			const { broker, logger } = this;
			stream.start({
				caller: broker,
				isAvailable: (action) => broker.registry.actions.isAvailable(action),
				logWarning: (message, error) => logger.warn(message, error),
			});
		},

		stopped: async () => stream.stop(),
	};
}
