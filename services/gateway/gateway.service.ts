/** Wires the gateway to the bus. It is a service without actions, so that it starts and ends with the others. */
import type { Service, ServiceSchema } from "moleculer";
import { on } from "#shared/bus/service.ts";
import { tokensRevoked } from "#shared/contracts/pat/tokens.ts";
import type { Gateway } from "./gateway.ts";

/** @param announce Called when requests are accepted. */
export function gatewayService(gateway: Gateway, announce: () => void): ServiceSchema {
	return {
		name: "gateway",

		events: on(tokensRevoked, ({ keys }) => gateway.forgetTokens(keys)),

		async started(this: Service) {
			const { broker, logger } = this;
			gateway.attach({
				caller: broker,
				isServed: (action) => (broker.registry.actions.get(action)?.count() ?? 0) > 0,
				logError: (message, error) => logger.error(message, error),
			});
			announce();
		},

		stopped: async () => gateway.close(),
	};
}
