/** Tells which actions are offered at the moment, by this process or by another one. */
import type { ServiceBroker } from "moleculer";
import { UnavailableError } from "../errors.ts";
import type { Caller } from "./service.ts";

/** Whether somebody offers the action. */
export function isServed({ registry }: ServiceBroker, action: string): boolean {
	return (registry.actions.get(action)?.count() ?? 0) > 0;
}

/**
 * Returns a caller for jobs that begin with their process: services start in any order, and until one is there, each call
 * is refused here. The broker would write a warning for each, so that every start looked broken.
 */
export function patientCaller(broker: ServiceBroker): Caller {
	return {
		async call(action, params, options) {
			if (!isServed(broker, action)) throw new UnavailableError(`No service offers "${action}" yet`, "NOT_SERVED");
			return broker.call(action, params, options);
		},
	};
}
