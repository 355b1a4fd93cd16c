/** Counts the answers of the gateway. A route keeps its own series, so that a request costs two additions. */
import { monotonic } from "#shared/base/clock.ts";
import type { CounterCell, HistogramCell, Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { ActionRoute } from "./routes/action-route.ts";

interface RouteSeries {
	readonly seconds: HistogramCell;
	/** The counts by the first digit of the status. */
	readonly answers: CounterCell[];
}

export class RequestMetrics {
	readonly #metrics: Metrics;
	readonly #ofRoutes = new Map<ActionRoute, RouteSeries>();
	/** Pages of the gateway itself, and requests that found no route. */
	readonly #withoutRoute: RouteSeries;

	constructor(metrics: Metrics) {
		this.#metrics = metrics;
		this.#withoutRoute = this.#newSeries("gateway", "any");
	}

	/** @param since The beginning of the request on the monotonic clock; undefined for a stream, which has just begun. */
	answered(route: ActionRoute | undefined, status: number, since: number | undefined): void {
		const { seconds, answers } = route ? this.#seriesOf(route) : this.#withoutRoute;
		if (since !== undefined) seconds.observe((monotonic() - since) / 1_000);
		answers[Math.floor(status / 100)]?.add();
	}

	#seriesOf(route: ActionRoute): RouteSeries {
		const known = this.#ofRoutes.get(route);
		if (known) return known;
		const [group = ""] = route.action.name.split(".");
		const series = this.#newSeries(group, route.method);
		this.#ofRoutes.set(route, series);
		return series;
	}

	#newSeries(group: string, method: string): RouteSeries {
		const answers = this.#metrics.counter("atelier_http_requests_total");
		return {
			seconds: this.#metrics.histogram("atelier_http_request_seconds").at(group),
			answers: Array.from({ length: 6 }, (_, digit) => answers.at(group, method, `${digit}xx`)),
		};
	}
}
