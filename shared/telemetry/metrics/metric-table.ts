/**
 * Every metric of the platform: its name, type, labels and meaning. The registry accepts no other one, and
 * docs/metrics.md is made from this table. No label has values that callers choose, such as sessions, users or URLs.
 */

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

/** The labels and the buckets of a metric; default: none, and {@link defaultBuckets}. */
type Parts = Partial<Pick<MetricDeclaration, "labels" | "buckets">>;

type Declared<T> = MetricDeclaration & { readonly type: T };

/** Returns the function that declares metrics of this type. */
function ofType<T extends MetricDeclaration["type"]>(type: T) {
	return (unit: string, meaning: string, { labels = [], ...parts }: Parts = {}): Declared<T> => ({
		type,
		unit,
		labels,
		meaning,
		...parts,
	});
}

const counter = ofType("counter");
const gauge = ofType("gauge");
const histogram = ofType("histogram");

export const metricTable = {
	atelier_http_requests_total: counter(
		"requests",
		"Answered requests by service, method and class of status; streams count when they begin",
		{ labels: ["group", "method", "status"] },
	),
	atelier_http_request_seconds: histogram(
		"seconds",
		"Time from the headers of a request to its answer, without streams",
		{ labels: ["group"] },
	),
	atelier_http_requests_under_way: gauge("requests", "Requests that are not answered yet, without streams"),
	atelier_bus_call_seconds: histogram(
		"seconds",
		"Time of a call in the process that serves the action, with its wait for a turn",
		{ labels: ["action"], buckets: fewBuckets },
	),
	atelier_bus_failures_total: counter(
		"calls",
		"Calls that ended with an error; outcome `refused`: the caller's mistake, `busy`: too many calls, `failed`: ours",
		{ labels: ["action", "outcome"] },
	),
	atelier_bus_calls_waiting: gauge("calls", "Calls that wait for a turn; actions without any are not shown", {
		labels: ["action"],
	}),
	atelier_store_operation_seconds: histogram("seconds", "Time of an operation of the store", {
		labels: ["operation", "collection"],
		buckets: fewBuckets,
	}),
	atelier_store_errors_total: counter(
		"operations",
		"Operations of the store that failed; a duplicate key is no failure",
		{ labels: ["operation", "collection"] },
	),
	atelier_outbox_entries: gauge(
		"events",
		"Events that wait in documents for the relay; counted up to 100 documents of each collection; 0 with SQLite",
	),
	atelier_outbox_oldest_seconds: gauge(
		"seconds",
		"Age of the oldest event that waits for the relay; 0 when none waits",
	),
	atelier_event_delay_seconds: histogram(
		"seconds",
		"Time from the write of an event to its frame for clients, by the clocks of both processes",
	),
	atelier_stream_clients: gauge("clients", "Clients of the event stream at this process"),
	atelier_passes_total: counter("passes", "Passes of the reconciler; outcome `done` or `failed`", {
		labels: ["outcome"],
	}),
	atelier_pass_seconds: histogram("seconds", "Time of a pass"),
	atelier_reconciler_silent_seconds: gauge("seconds", "Time since the reconciler last learned which sessions are due"),
	atelier_egress_refused_total: counter(
		"connections",
		"Connections of sessions in containers that were refused; reason `profile`, `port` or `name`: by rules, `address` or `network`: by what the name leads to, `connections`: too many at a time",
		{ labels: ["reason"] },
	),
	atelier_warm_containers: gauge("containers", "Containers of this process that wait for a session"),
	atelier_cluster_requests_total: counter("requests", "Answers of the cluster's API by method and status", {
		labels: ["method", "status"],
	}),
	atelier_cluster_watch_drift_total: counter(
		"objects",
		"Objects of the cluster that were not as the watch had told; there should be none",
		{ labels: ["kind"] },
	),
	atelier_pods: gauge("pods", "Pods of this process's runtime by state", { labels: ["state"] }),
	atelier_sessions: gauge(
		"sessions",
		"Sessions of the installation by status; every process with `sessions` shows the same numbers",
		{ labels: ["status"] },
	),
	atelier_launch_seconds: histogram(
		"seconds",
		"Duration of the phases of launches: `claim`, `spawn`, `clone`, `set_up`, `agent`, and `total`",
		{ labels: ["phase"], buckets: launchBuckets },
	),
	atelier_launches_waiting: gauge(
		"sessions",
		"Sessions whose launch waits for a place of their owner or for a pod manager; counted among the first 5,000 that are due",
	),
	atelier_launches_waiting_oldest_seconds: gauge(
		"seconds",
		"Time since the oldest launch that waits was requested; 0 when none waits",
	),
	atelier_session_failures_total: counter(
		"sessions",
		"Sessions that failed, by the code of the reason; codes that the platform does not know count as `other`",
		{ labels: ["code"] },
	),
	atelier_model_tokens_total: counter("tokens", "Tokens in the usage reports of pods that this process took", {
		labels: ["kind"],
	}),
	atelier_model_cost_dollars_total: counter(
		"US dollars",
		"Cost in the usage reports of pods that this process took; models without a price add nothing",
	),
	atelier_budget_pauses_total: counter(
		"pauses",
		"Sessions that were paused because a budget did not allow a further model call",
		{ labels: ["scope"] },
	),
	atelier_leases_held: gauge("leases", "Leases of jobs that run once, which this process holds", { labels: ["name"] }),
	atelier_ready: gauge("0 or 1", "Whether a dependency of this process is ready; the checks are those of `/ready`", {
		labels: ["check"],
	}),
	atelier_logins_refused_total: counter(
		"requests",
		"Requests that the identity refused, by the reason; the log has a sentence for each",
		{ labels: ["reason"] },
	),
	atelier_process_info: gauge(
		"1",
		"The name by which this process stands in the logs of the others, and the services that it runs; always 1",
		{ labels: ["node", "services"] },
	),
	atelier_event_loop_lag_seconds: gauge("seconds", "Longest delay of the event loop in the last 15 to 30 seconds"),
	atelier_process_cpu_seconds_total: counter("seconds", "Processor time of this process, user and system"),
	atelier_process_resident_bytes: gauge("bytes", "Resident memory of this process"),
	atelier_disk_free_bytes: gauge("bytes", "Free bytes of the disk of the data folder"),
	atelier_process_heap_bytes: gauge("bytes", "Used heap of this process"),
	atelier_process_start_time_seconds: gauge("seconds since 1970", "Time at which this process started"),
	atelier_trace_spans_dropped_total: counter(
		"spans",
		"Spans that were not exported because the queue was full or the collector did not take them",
	),
	atelier_metric_failures_total: counter("scrapes", "Scrapes at which the value of a metric could not be had", {
		labels: ["metric"],
	}),
};

export type MetricName = keyof typeof metricTable;

export type NameOf<Type extends MetricDeclaration["type"]> = {
	[N in MetricName]: (typeof metricTable)[N]["type"] extends Type ? N : never;
}[MetricName];

export function declarationOf(name: MetricName): MetricDeclaration {
	return metricTable[name];
}
