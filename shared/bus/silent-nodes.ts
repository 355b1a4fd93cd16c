/**
 * Keeps a frozen or killed process from costing its callers a time limit each. The framework calls a process until it has been
 * silent for 15 to 30 seconds. Here, one that has missed its heartbeats is called only when there is no other one, and calls
 * under way that may be repeated are repeated elsewhere (decision 0111).
 */
import { type Context, type Endpoint, Errors, type Middleware, type ServiceBroker, Strategies } from "moleculer";
import { every, monotonic, type Timer, uptime } from "#shared/base/clock.ts";

/** Every process sends a heartbeat so often; the unit is seconds. The framework varies it by half a second. */
export const heartbeatS = 1;
/** A process is silent after so many seconds without one, which is three of them and one second of tolerance. */
const silentS = 4;
/** How often the calls under way are looked at, in milliseconds. */
const lookMs = 500;

/** Whether a process has sent no heartbeat for some time. A busy one may be, too, so it may still answer. */
export function isSilentNode({ registry }: ServiceBroker, id: string): boolean {
	const node = registry.nodes.get(id);
	return node !== undefined && !node.local && uptime() - node.lastHeartbeatTime > silentS;
}

/** Calls the processes that offer an action in turn, the silent ones only when all of them are. */
export class ResponsiveFirst extends Strategies.RoundRobin {
	override select(list: Endpoint[]): Endpoint {
		const responsive = list.filter(({ id }) => !isSilentNode(this.broker, id));
		return super.select(responsive.length > 0 ? responsive : list);
	}
}

/** Ends the calls of silent processes that may be repeated, as soon as another process could answer them. */
export function silentNodesMiddleware(): Middleware {
	let looking: Timer | undefined;

	return {
		name: "SilentNodes",
		async started(broker: ServiceBroker) {
			let lookedAt = monotonic();
			looking = every(lookMs, () => {
				// A process that was blocked itself has heartbeats to read first.
				const isLate = monotonic() - lookedAt > 2 * lookMs;
				lookedAt = monotonic();
				if (!isLate) endSilentCalls(broker);
			});
		},
		async stopped() {
			looking?.cancel();
		},
	};
}

function endSilentCalls(broker: ServiceBroker): void {
	const pending = broker.transit?.pendingRequests;
	for (const [id, { ctx, nodeID, reject }] of pending ?? []) {
		const { name = "" } = ctx.action ?? {};
		if (!mayBeRepeated(ctx) || !isSilentNode(broker, nodeID) || !isOfferedElsewhere(broker, name, nodeID)) continue;
		pending?.delete(id);
		reject(new Errors.RequestTimeoutError({ action: name, nodeID, isSilent: true }));
	}
}

/** Reads are repeated by the framework, and the gateway repeats the requests with a key. */
function mayBeRepeated({ action, meta }: Context<unknown, { idempotency_key?: string }>): boolean {
	return action?.retryPolicy?.enabled === true || meta.idempotency_key !== undefined;
}

function isOfferedElsewhere(broker: ServiceBroker, action: string, nodeId: string): boolean {
	const endpoints = broker.registry.actions.get(action)?.endpoints ?? [];
	return endpoints.some(({ id, isAvailable }) => id !== nodeId && isAvailable && !isSilentNode(broker, id));
}
