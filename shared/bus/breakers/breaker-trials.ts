/**
 * Ends the trial of a half-open breaker when its call is refused. The framework lets one call through every five seconds and
 * counts a refusal neither as success nor as failure, so a breaker whose trials are refused would bar everyone else for ever.
 */
import type { Context, ServiceBroker } from "moleculer";
import { ServiceError } from "#shared/base/errors.ts";

/** The framework's record of one breaker, as far as it concerns a trial. */
interface Breaker {
	state: string;
	count: number;
	failures: number;
	readonly ep: { state: boolean };
	cbTimer: NodeJS.Timeout | null;
}

/** A broker with the member that its types leave out: the breakers by the names of their endpoints. */
export type Breakers = ServiceBroker & { readonly CircuitBreakerStore?: ReadonlyMap<string, Breaker> };

/** The framework's state of a breaker while its trial is under way. */
const onTrial = "half_open_wait";

/** The refusals that are made before a service looks at anything, and those that say that it is busy. */
const earlyCodes = [401, 403, 408, 429];
const earlyTypes = ["INVALID_PARAMETERS", "REQUEST_TOO_LARGE"];

/** Whether an error shows that the service has found out something, so that what it needs was there. */
function isAnswer(error: unknown): boolean {
	if (!(error instanceof ServiceError) || error.code >= 500) return false;
	return !earlyCodes.includes(error.code) && !earlyTypes.includes(error.type);
}

/**
 * Ends the trial that a refused call may be: an answer of the service closes the breaker, as a success does. Any other refusal
 * says nothing, so the next call is the trial.
 * @param error No outage.
 */
export function endTrial(broker: Breakers, { endpoint }: Context, error: unknown): void {
	const breaker = endpoint && "name" in endpoint ? broker.CircuitBreakerStore?.get(endpoint.name) : undefined;
	if (!endpoint || breaker?.state !== onTrial) return;
	if (breaker.cbTimer) clearTimeout(breaker.cbTimer);
	breaker.cbTimer = null;
	breaker.ep.state = true;
	endpoint.state = true;
	if (!isAnswer(error)) breaker.state = "half_open";
	else Object.assign(breaker, { state: "close", count: 0, failures: 0 });
}
