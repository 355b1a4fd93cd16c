/** The configuration of what operators look at: the ops listener, logs and traces. */
import { schema } from "#shared/base/schema/schema.ts";
import { port, text, textMap } from "./field-rules.ts";

export const opsFields = schema({
	host: {
		type: "string",
		min: 1,
		default: "127.0.0.1",
		description:
			"Address on which every process answers `/health`, `/ready` and `/metrics` (docs/observability.md); beyond loopback anybody who reaches it reads them",
	},
	port: {
		...port,
		optional: true,
		description:
			"Port for these; each process of a machine needs its own; 0 takes a free one; empty: they are not served",
	},
});

export const tracingFields = schema({
	otlp_url: {
		...text,
		pattern: "^$|^https?://[^?#]+$",
		description:
			"Collector of traces, OTLP over HTTP in JSON, without `/v1/traces`; empty: no traces (docs/observability.md)",
	},
	headers: { ...textMap, description: "Headers for the collector, e.g. its token" },
	sample: {
		type: "number",
		min: 0,
		max: 1,
		default: 0.01,
		description: "Share of the traces that are exported; steps that fail are exported always",
	},
});

export const logFields = schema({
	format: {
		type: "enum",
		values: ["text", "json"],
		default: "text",
		description: "Form of the log: lines for people, or one JSON object a line for programs (docs/observability.md)",
	},
});
