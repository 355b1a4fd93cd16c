/** A program that sends HTTP requests for a while over a number of connections, reports the answers, and ends. */
import autocannon from "autocannon";
import { order, report } from "./program.ts";

/** The requests of one run. */
export interface LoadOrder {
	readonly url: string;
	/**
	 * The paths that are requested in turn instead of the path of `url`; the connections begin at different ones, as
	 * far apart as possible.
	 */
	readonly paths?: readonly string[];
	readonly seconds: number;
	/** The count of requests after which the run ends instead; default: it lasts for `seconds`. */
	readonly amount?: number;
	/** The count of connections; each has one request under way. */
	readonly connections: number;
	readonly method?: "GET" | "POST" | "PUT";
	readonly headers?: Record<string, string>;
	readonly body?: string;
}

/** The answers of one run. */
export interface LoadResult {
	readonly perSecond: number;
	readonly count: number;
	readonly byStatus: Readonly<Record<string, number>>;
	readonly errors: number;
	/** The quantiles of the response time in milliseconds. */
	readonly p50: number;
	readonly p99: number;
	/** The longest time until a 429 or 503, without the first answer of each connection: that one waits for the connection too. */
	readonly slowestRefusalMs: number;
}

const { url, paths, seconds, amount, connections, method = "GET", headers = {}, body } = order<LoadOrder>();

let opened = 0;
/** Returns the requests of the next connection. */
function requestsInTurn(all: readonly string[]): autocannon.Request[] {
	const first = Math.floor((opened++ * all.length) / connections) % all.length;
	return [...all.slice(first), ...all.slice(0, first)].map((path) => ({ method, path }));
}

let slowestRefusalMs = 0;
const answered = new WeakSet<autocannon.Client>();
const byStatus: Record<string, number> = {};
const started = process.hrtime.bigint();
const over = Promise.withResolvers<autocannon.Result>();
const options: autocannon.Options = {
	url,
	duration: seconds,
	connections,
	method,
	headers,
	timeout: 10,
	...(amount !== undefined && { amount }),
	...(body !== undefined && { body }),
	...(paths && { setupClient: (client: autocannon.Client) => client.setRequests(requestsInTurn(paths)) }),
};
const run = autocannon(options, (error, ended) => (error ? over.reject(error) : over.resolve(ended)));
run.on("response", (client, status, _bytes, ms) => {
	byStatus[status] = (byStatus[status] ?? 0) + 1;
	const isRefusal = status === 429 || status === 503;
	if (isRefusal && answered.has(client)) slowestRefusalMs = Math.max(slowestRefusalMs, ms);
	answered.add(client);
});
const { requests, latency, errors } = await over.promise;
const elapsed = Number(process.hrtime.bigint() - started) / 1e9;
const count = requests.total;
const result: LoadResult = {
	perSecond: count / elapsed,
	count,
	byStatus,
	errors,
	p50: latency.p50,
	p99: latency.p99,
	slowestRefusalMs,
};
report(result);
