import { expect } from "chai";
import { RequestMetrics } from "#services/gateway/request-metrics.ts";
import { actionRoutes } from "#services/gateway/routes/action-route.ts";
import { monotonic } from "#shared/base/clock.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

describe("RequestMetrics", () => {
	const routes = actionRoutes([sessions]);
	const list = routes.find(({ action, method }) => action === sessions.actions.list && method === "GET");

	it("count answers by service, method and class of status, and their times by service", async () => {
		const metrics = new Metrics();
		const requests = new RequestMetrics(metrics);
		for (const status of [200, 204, 404, 503]) requests.answered(list, status, monotonic() - 2_000);
		const text = await exposition(metrics);
		for (const [status, count] of Object.entries({ "2xx": 2, "3xx": 0, "4xx": 1, "5xx": 1 }))
			expect(text).to.include(
				`atelier_http_requests_total{group="sessions",method="GET",status="${status}"} ${count}\n`,
			);
		expect(text).to.include('atelier_http_request_seconds_bucket{group="sessions",le="1"} 0\n');
		expect(text).to.include('atelier_http_request_seconds_bucket{group="sessions",le="5"} 4\n');
	});

	it("show the class 5xx with the first answer of a route, so that its first failure is seen as an increase", async () => {
		const metrics = new Metrics();
		new RequestMetrics(metrics).answered(list, 200, monotonic());
		expect(await exposition(metrics)).to.include(
			'atelier_http_requests_total{group="sessions",method="GET",status="5xx"} 0\n',
		);
	});

	it("count a stream when it begins, without a time, and requests without a route as the gateway's", async () => {
		const metrics = new Metrics();
		const requests = new RequestMetrics(metrics);
		requests.answered(list, 200, undefined);
		requests.answered(undefined, 404, monotonic());
		const text = await exposition(metrics);
		expect(text).to.include('atelier_http_request_seconds_count{group="sessions"} 0\n');
		expect(text).to.include('atelier_http_requests_total{group="gateway",method="any",status="4xx"} 1\n');
		expect(text).to.include('atelier_http_request_seconds_count{group="gateway"} 1\n');
	});
});
