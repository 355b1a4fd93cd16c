/**
 * Decides which failures open a circuit breaker: those that no caller can cause for others. A breaker is shared by all
 * callers, so a failure that one client can provoke (a full queue, a lost race, its own pod that does not answer) must
 * not count. While a breaker is open, its callers get the error that opened it.
 */
import type { ActionHandler, CallingOptions, Context, Middleware, Service, ServiceBroker } from "moleculer";
import { type Breakers, endTrial } from "./breaker-trials.ts";
import { UnavailableError } from "#shared/base/errors.ts";

/** These sentences hold for every call until the outage is over, also for a call that is not made. */
const lastingOutages: readonly unknown[] = ["STORE_CLOSED", "STORE_UNREACHABLE", "STORE_UNWRITABLE"];

/** `STORE_UNDECIDED` says that a write may be done, which is wrong for a call that is not made. */
const outages: readonly unknown[] = [...lastingOutages, "SERVICE_NOT_AVAILABLE", "STORE_UNDECIDED"];

interface BusFailure {
	readonly type?: unknown;
	readonly data?: { readonly isSilent?: unknown } | null;
}

/**
 * Whether an error is an outage. A timeout counts only when its node is silent altogether, because a slow answer may be
 * caused by the caller.
 */
export function isOutage(error: Error & BusFailure): boolean {
	return error.type === "REQUEST_TIMEOUT" ? error.data?.isSilent === true : outages.includes(error.type);
}

/**
 * Whether a call of an action that is safe to repeat is repeated after an error. After a timeout it is so only when its node is
 * silent: a slow one would have the same work once more, and its caller waits for neither.
 */
export function isWorthRepeating(error: Error & BusFailure & { readonly retryable?: unknown }): boolean {
	return error.retryable === true && (error.type !== "REQUEST_TIMEOUT" || isOutage(error));
}

interface BreakerNews {
	readonly nodeID: string;
	readonly action: string;
}

/**
 * Makes breakers bar processes that were away and came back. The framework gives such a process new endpoints, and its
 * breakers go on to open and close the former ones, so that nothing would be barred until a minute passes without a call.
 */
function followBreakers({ localBus, registry }: ServiceBroker): void {
	const follow =
		(isOpen: boolean) =>
		({ nodeID, action }: BreakerNews) => {
			const endpoints = registry.actions.get(action)?.endpoints ?? [];
			for (const endpoint of endpoints) if (endpoint.id === nodeID) endpoint.state = !isOpen;
		};
	localBus.on("$circuit-breaker.opened", follow(true));
	localBus.on("$circuit-breaker.half-opened", follow(false));
	localBus.on("$circuit-breaker.closed", follow(false));
}

type Call = (action: string, params: unknown, options?: CallingOptions) => Promise<unknown>;

/**
 * Answers a call that an open breaker keeps from being made with the sentence and the type of the action's last outage.
 * The framework's own answer says only that the service is not available.
 */
export function outageMiddleware(): Middleware {
	let broker: Breakers | undefined;
	/** The last outages whose sentences last, by the name of the action, so the map has at most as many entries as there are actions. */
	const lastOutages = new Map<string, UnavailableError>();

	/** Whether a service offers the action and every breaker in front of it is open. */
	function isBarred(action: string): boolean {
		const endpoints = broker?.registry.actions.get(action);
		return endpoints !== undefined && endpoints.count() > 0 && !endpoints.hasAvailable();
	}

	/** A later outage replaces an earlier one, also when its sentence is not repeated. */
	function remember(action: string, error: unknown): void {
		if (error instanceof UnavailableError && lastingOutages.includes(error.type)) lastOutages.set(action, error);
		else if (error instanceof Error && isOutage(error)) lastOutages.delete(action);
	}

	function fail(ctx: Context, action: string, error: unknown): void {
		remember(action, error);
		if (broker && !(error instanceof Error && isOutage(error))) endTrial(broker, ctx, error);
	}

	function remembering(next: ActionHandler, { name = "" }: { name?: string }): ActionHandler {
		return function remembered(this: Service, ctx: Context): Promise<unknown> {
			const answer: Promise<unknown> = next.call(this, ctx);
			return answer.catch((error: unknown) => {
				fail(ctx, name, error);
				throw error;
			});
		};
	}

	const hooks = {
		name: "Outage",
		created(created: ServiceBroker) {
			broker = created;
			followBreakers(created);
		},
		localAction: remembering,
		remoteAction: remembering,
		call: (next: Call) => (action: string, params: unknown, options?: CallingOptions) => {
			const cause = lastOutages.get(action);
			if (cause === undefined || !isBarred(action)) return next(action, params, options);
			return Promise.reject(new UnavailableError(cause.message, cause.type));
		},
	};
	// The framework declares the type of the hook `call` as the type that it returns.
	return hooks as unknown as Middleware;
}
