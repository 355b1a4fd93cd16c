/**
 * Every metric of the platform: its name, type, labels and meaning. The registry accepts no other one, and
 * docs/metrics.md is made from this table. No label has values that callers choose, such as sessions, users or URLs.
 */

/** One metric as it is shown to Prometheus. */
export interface MetricDeclaration {
	readonly type: "counter" | "gauge" | "histogram";
	readonly unit: string;
	readonly labels: readonly string[];
	/** A sentence without a period at its end. */
	readonly meaning: string;
	/** The upper bounds of a histogram's buckets, growing; default {@link defaultBuckets}. */
	readonly buckets?: readonly number[];
}

/** The bounds for durations in seconds; the last ones are the time limits of requests. */
export const defaultBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** The bounds for the many durations that are mostly short. */
const fewBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 8] as const;
/** The bounds for the phases of launches. */
const launchBuckets = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 120, 300] as const;

export const metricTable = {
	atelier_http_requests_total: {
		type: "counter",
		unit: "requests",
		labels: ["group", "method", "status"],
		meaning: "Answered requests by service, method and class of status; streams count when they begin",
	},
	atelier_http_request_seconds: {
		type: "histogram",
		unit: "seconds",
		labels: ["group"],
		meaning: "Time from the headers of a request to its answer, without streams",
	},
	atelier_http_requests_under_way: {
		type: "gauge",
		unit: "requests",
		labels: [],
		meaning: "Requests that are not answered yet, without streams",
	},
	atelier_bus_call_seconds: {
		type: "histogram",
		unit: "seconds",
		labels: ["action"],
		buckets: fewBuckets,
		meaning: "Time of a call in the process that serves the action, with its wait for a turn",
	},
	atelier_bus_failures_total: {
		type: "counter",
		unit: "calls",
		labels: ["action", "outcome"],
		meaning:
			"Calls that ended with an error; outcome `refused`: the caller's mistake, `busy`: too many calls, `failed`: ours",
	},
	atelier_bus_calls_waiting: {
		type: "gauge",
		unit: "calls",
		labels: ["action"],
		meaning: "Calls that wait for a turn; actions without any are not shown",
	},
	atelier_store_operation_seconds: {
		type: "histogram",
		unit: "seconds",
		labels: ["operation", "collection"],
		buckets: fewBuckets,
		meaning: "Time of an operation of the store",
	},
	atelier_store_errors_total: {
		type: "counter",
		unit: "operations",
		labels: ["operation", "collection"],
		meaning: "Operations of the store that failed; a duplicate key is no failure",
	},
	atelier_outbox_entries: {
		type: "gauge",
		unit: "events",
		labels: [],
		meaning:
			"Events that wait in documents for the relay; counted up to 100 documents of each collection; 0 with SQLite",
	},
	atelier_outbox_oldest_seconds: {
		type: "gauge",
		unit: "seconds",
		labels: [],
		meaning: "Age of the oldest event that waits for the relay; 0 when none waits",
	},
	atelier_event_delay_seconds: {
		type: "histogram",
		unit: "seconds",
		labels: [],
		meaning: "Time from the write of an event to its frame for clients, by the clocks of both processes",
	},
	atelier_stream_clients: {
		type: "gauge",
		unit: "clients",
		labels: [],
		meaning: "Clients of the event stream at this process",
	},
	atelier_passes_total: {
		type: "counter",
		unit: "passes",
		labels: ["outcome"],
		meaning: "Passes of the reconciler; outcome `done` or `failed`",
	},
	atelier_pass_seconds: {
		type: "histogram",
		unit: "seconds",
		labels: [],
		meaning: "Time of a pass",
	},
	atelier_reconciler_silent_seconds: {
		type: "gauge",
		unit: "seconds",
		labels: [],
		meaning: "Time since the reconciler last learned which sessions are due",
	},
	atelier_pods: {
		type: "gauge",
		unit: "pods",
		labels: ["state"],
		meaning: "Pods of this process's runtime by state",
	},
	atelier_sessions: {
		type: "gauge",
		unit: "sessions",
		labels: ["status"],
		meaning: "Sessions of the installation by status; every process with `sessions` shows the same numbers",
	},
	atelier_launch_seconds: {
		type: "histogram",
		unit: "seconds",
		labels: ["phase"],
		buckets: launchBuckets,
		meaning: "Duration of the phases of launches: `claim`, `spawn`, `clone`, `set_up`, `agent`, and `total`",
	},
	atelier_launches_waiting: {
		type: "gauge",
		unit: "sessions",
		labels: [],
		meaning:
			"Sessions whose launch waits for a place of their owner or for a pod manager; counted among the first 5,000 that are due",
	},
	atelier_launches_waiting_oldest_seconds: {
		type: "gauge",
		unit: "seconds",
		labels: [],
		meaning: "Time since the oldest launch that waits was requested; 0 when none waits",
	},
	atelier_session_failures_total: {
		type: "counter",
		unit: "sessions",
		labels: ["code"],
		meaning: "Sessions that failed, by the code of the reason; codes that the platform does not know count as `other`",
	},
	atelier_model_tokens_total: {
		type: "counter",
		unit: "tokens",
		labels: ["kind"],
		meaning: "Tokens in the usage reports of pods that this process took",
	},
	atelier_model_cost_dollars_total: {
		type: "counter",
		unit: "US dollars",
		labels: [],
		meaning: "Cost in the usage reports of pods that this process took; models without a price add nothing",
	},
	atelier_budget_pauses_total: {
		type: "counter",
		unit: "pauses",
		labels: ["scope"],
		meaning: "Sessions that were paused because a budget did not allow a further model call",
	},
	atelier_leases_held: {
		type: "gauge",
		unit: "leases",
		labels: ["name"],
		meaning: "Leases of jobs that run once, which this process holds",
	},
	atelier_ready: {
		type: "gauge",
		unit: "0 or 1",
		labels: ["check"],
		meaning: "Whether a dependency of this process is ready; the checks are those of `/ready`",
	},
	atelier_logins_refused_total: {
		type: "counter",
		unit: "requests",
		labels: ["reason"],
		meaning: "Requests that the identity refused, by the reason; the log has a sentence for each",
	},
	atelier_process_info: {
		type: "gauge",
		unit: "1",
		labels: ["node", "services"],
		meaning: "The name by which this process stands in the logs of the others, and the services that it runs; always 1",
	},
	atelier_event_loop_lag_seconds: {
		type: "gauge",
		unit: "seconds",
		labels: [],
		meaning: "Longest delay of the event loop in the last 15 to 30 seconds",
	},
	atelier_process_cpu_seconds_total: {
		type: "counter",
		unit: "seconds",
		labels: [],
		meaning: "Processor time of this process, user and system",
	},
	atelier_process_resident_bytes: {
		type: "gauge",
		unit: "bytes",
		labels: [],
		meaning: "Resident memory of this process",
	},
	atelier_disk_free_bytes: {
		type: "gauge",
		unit: "bytes",
		labels: [],
		meaning: "Free bytes of the disk of the data folder",
	},
	atelier_process_heap_bytes: { type: "gauge", unit: "bytes", labels: [], meaning: "Used heap of this process" },
	atelier_process_start_time_seconds: {
		type: "gauge",
		unit: "seconds since 1970",
		labels: [],
		meaning: "Time at which this process started",
	},
	atelier_trace_spans_dropped_total: {
		type: "counter",
		unit: "spans",
		labels: [],
		meaning: "Spans that were not exported because the queue was full or the collector did not take them",
	},
	atelier_metric_failures_total: {
		type: "counter",
		unit: "scrapes",
		labels: ["metric"],
		meaning: "Scrapes at which the value of a metric could not be had",
	},
} as const satisfies Record<string, MetricDeclaration>;

export type MetricName = keyof typeof metricTable;

/** The names of the metrics of one type. */
export type NameOf<Type extends MetricDeclaration["type"]> = {
	[N in MetricName]: (typeof metricTable)[N]["type"] extends Type ? N : never;
}[MetricName];

export function declarationOf(name: MetricName): MetricDeclaration {
	return metricTable[name];
}
