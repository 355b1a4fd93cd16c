/** The traces of one process, which are exported when the configuration names a collector. */
import { randomUUID } from "node:crypto";
import { baseUrl } from "#shared/base/base-url.ts";
import type { Config } from "#shared/config/config.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import { OtlpExporter, type OtlpOptions } from "#shared/telemetry/tracing/otlp-exporter.ts";
import { Tracer } from "#shared/telemetry/tracing/tracer.ts";

interface TraceOptions extends Pick<OtlpOptions, "service" | "metrics" | "onError"> {
	readonly config: Pick<Config, "tracing">;
	readonly outbound: Pick<Outbound, "send">;
}

/** The traces of one process; it begins and stops them. */
export interface ProcessTraces {
	readonly tracer: Tracer;
	stop(): Promise<void>;
}

/** Returns undefined when traces are off. */
export function openTraces({ config, service, metrics, outbound, onError }: TraceOptions): ProcessTraces | undefined {
	const { otlp_url, headers, sample } = config.tracing;
	if (otlp_url === "") return undefined;
	const exporter = new OtlpExporter({
		url: baseUrl(otlp_url),
		headers,
		service: `atelier-${service}`,
		instance: randomUUID(),
		send: (request) => outbound.send(request),
		metrics,
		onError,
	});
	return { tracer: new Tracer(sample, (span) => exporter.take(span)), stop: () => exporter.stop() };
}
