/**
 * Ties a process that stores without `event-log` to the processes that run it: it tells them that events were written here,
 * is told of what they have moved, and is not ready while there is none.
 */
import type { Service, ServiceBroker } from "moleculer";
import { AuditSigning } from "#shared/store/audit/audit-signing.ts";
import { on, publish } from "#shared/bus/service.ts";
import { eventLog, logAppended, outboxWritten } from "#shared/contracts/event-log.ts";
import type { Part, Platform, Storage } from "./platform.ts";

/**
 * Returns the part of the link. Call this when all other parts are composed: only a process in which somebody follows the
 * event log is told of its growth.
 */
export function relayLink(
	{ config, readiness, log }: Pick<Platform, "config" | "readiness" | "log">,
	{ relay, auditLog }: Pick<Storage, "relay" | "auditLog">,
): Part {
	let broker: ServiceBroker | undefined;
	// No service of a process without a bus has events.
	if (config.bus.url !== "") readiness.set("relay", async () => refuseUnserved(broker));
	const signing = new AuditSigning(auditLog, log);
	signing.start();
	const service = {
		name: "relay-link",
		events: relay.isFollowed ? on(logAppended, ({ seq }) => relay.movedElsewhere(seq)) : {},
		async started(this: Service) {
			const bus = (broker = this.broker);
			// A hint may be lost: the relay also looks into all outboxes each second.
			relay.onHint((all) => void publish(bus, outboxWritten, { all }).catch(() => {}));
			relay.follow();
		},
		stopped: () => relay.stop(),
	};
	return { services: [service], close: () => signing.stop() };
}

/** @throws {Error} when no process is known that moves events. */
function refuseUnserved(broker: ServiceBroker | undefined): void {
	const known = broker?.registry.getServiceList({ onlyAvailable: true }) ?? [];
	if (known.some(({ name }) => name === eventLog.name)) return;
	throw new Error('nobody runs "event-log", so events wait in the store');
}
