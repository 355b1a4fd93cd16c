/** Makes the options of the broker. The values are explained in docs/configuration.md, "Bus". */
import { bound } from "#shared/base/bounds.ts";
import { type BrokerOptions, ServiceBroker } from "moleculer";
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { bulkheadMiddleware } from "#shared/bus/bulkhead-middleware.ts";
import { busBorder } from "#shared/bus/bus-border.ts";
import type { ForeignKeyWatch } from "#shared/bus/nats/foreign-key.ts";
import { busNamespace, namespace } from "#shared/bus/nats/bus-namespace.ts";
import { natsOptions } from "#shared/bus/nats/nats-options.ts";
import { NatsTransporter } from "#shared/bus/nats/nats-transporter.ts";
import { callMetrics } from "#shared/bus/call-metrics.ts";
import { isOutage, isWorthRepeating, outageMiddleware } from "#shared/bus/breakers/outage.ts";
import { PacketSeal } from "#shared/bus/packet-seal.ts";
import { principalMiddleware } from "#shared/bus/principal-middleware.ts";
import { heartbeatS, ResponsiveFirst, silentNodesMiddleware } from "#shared/bus/silent-nodes.ts";
import { traceMiddleware } from "#shared/bus/trace-middleware.ts";
import { timeoutMiddleware } from "#shared/bus/timeout-middleware.ts";
import type { BusConfig } from "#shared/config/config.ts";
import { jsonFormatter } from "#host/log/json-log.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { Tracer } from "#shared/telemetry/tracing/tracer.ts";
import { ServiceErrorRegenerator } from "#shared/bus/error-regenerator.ts";

/** The time in which an ending process still answers after it has told the others, in milliseconds. */
const stopDelayMs = 1_000;

/**
 * Moves the timeout inside the circuit breaker. The framework's own order is the reverse, in which a breaker never sees
 * a timeout.
 */
function timeoutInsideBreaker(): void {
	const order: (string | typeof timeoutMiddleware)[] = ServiceBroker.INTERNAL_MIDDLEWARES;
	if (order.includes(timeoutMiddleware)) return;
	order.splice(order.indexOf("Timeout"), 1);
	order.splice(order.indexOf("CircuitBreaker"), 0, timeoutMiddleware);
}

/** The observers of a broker; default nobody. */
interface Observers {
	readonly metrics?: Metrics;
	readonly tracer?: Tracer | undefined;
	/** Whether the log consists of JSON lines. */
	readonly isJson?: boolean;
	/** Learns of packets with another key. */
	readonly foreignKey?: ForeignKeyWatch | undefined;
}

/**
 * @param key The key of all processes of this installation, which seals their packets.
 * @param label The name of this process in the registry, e.g. the services it runs. The host and random digits make it
 * unique, because an equal node id after a restart leaves callers waiting for ever. On NATS it is a subject, which
 * permissions may name (docs/bus.md).
 * @param observers Get the calls that the broker serves.
 */
export function brokerOptions(
	bus: BusConfig,
	key: Buffer,
	label: string,
	{ metrics = new Metrics(), tracer, isJson = false, foreignKey }: Observers = {},
): BrokerOptions {
	timeoutInsideBreaker();
	const nodeID = `${label}.${hostname().replaceAll(/[^\w-]/g, "_")}-${randomBytes(4).toString("hex")}`;
	const topicsOf = (command: string) => [`${busNamespace}.${command}.${nodeID}`, `${busNamespace}.${command}`];
	return {
		namespace,
		nodeID,
		transporter: bus.url === "" ? null : new NatsTransporter(natsOptions(bus)),
		errorRegenerator: new ServiceErrorRegenerator(),
		middlewares: [
			bulkheadMiddleware(metrics),
			callMetrics(metrics),
			...(tracer ? [traceMiddleware(tracer)] : []),
			principalMiddleware,
			outageMiddleware(),
			silentNodesMiddleware(),
			busBorder(new PacketSeal(key), topicsOf, foreignKey),
		],
		internalServices: false,
		requestTimeout: 8_000,
		heartbeatInterval: heartbeatS,
		heartbeatTimeout: 15,
		// Calls that others sent before they heard of the end are still answered.
		registry: { strategy: ResponsiveFirst, preferLocal: true, stopDelay: bus.url === "" ? 0 : stopDelayMs },
		// Actions that are safe to repeat enable it (shared/bus/service.ts); functions do not travel with them.
		retryPolicy: { enabled: false, check: isWorthRepeating },
		circuitBreaker: {
			enabled: true,
			threshold: 0.3,
			minRequestCount: 5,
			windowTime: 60,
			halfOpenTime: 5_000,
			check: isOutage,
		},
		// This bulkhead is for events; actions have their own one (bulkhead-middleware.ts).
		bulkhead: { enabled: true, concurrency: bound.calls, maxQueueSize: bound.waitingCalls },
		transit: { maxQueueSize: bound.unansweredCalls },
		tracking: { enabled: true, shutdownTimeout: 10_000 },
		validator: false,
		skipProcessEventRegistration: true,
		logger: { type: "Console", options: { level: bus.log_level, formatter: isJson ? jsonFormatter : "short" } },
	};
}
