/**
 * Calls for jobs that begin with their process: services start in any order, and until one is there, each call is refused here.
 * The broker would write a warning for each, so that every start looked broken.
 */
import type { Caller } from "#shared/bus/service.ts";
import { UnavailableError } from "#shared/base/errors.ts";

/** @param isServed Tells whether somebody offers an action. */
export function patientCaller(caller: Caller, isServed: (action: string) => boolean): Caller {
	return {
		async call(action, params, options) {
			if (!isServed(action)) throw new UnavailableError(`No service offers "${action}" yet`, "NOT_SERVED");
			return caller.call(action, params, options);
		},
	};
}
