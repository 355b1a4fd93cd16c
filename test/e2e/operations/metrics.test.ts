/** The metrics of a platform in one process after a session has run. */
import { expect } from "chai";
import { metricTable } from "#shared/telemetry/metrics/metric-table.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("the metrics of a platform", function () {
	this.timeout(60_000);

	it("show requests, calls, operations, events, passes and launches, and name no person and no session", async () => {
		const port = await freePort();
		await using platform = await startPlatform({ env: { OPS__PORT: String(port) } });
		const client = platform.client();
		const { id } = await runningSession(client);
		await client.request("GET", "/no/such/route").catch(() => {});
		const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

		await eventually(async () => /atelier_launch_seconds_count\{phase="total"\} [1-9]/.test(await scrape()), {
			withinMs: 10_000,
		});
		const text = await scrape();
		for (const series of [
			/^atelier_http_requests_total\{group="sessions",method="POST",status="2xx"\} [1-9]/m,
			/^atelier_http_request_seconds_count\{group="sessions"\} [1-9]/m,
			/^atelier_bus_call_seconds_count\{action="session-work.observe"\} [1-9]/m,
			/^atelier_store_operation_seconds_count\{operation="update",collection="sessions"\} [1-9]/m,
			/^atelier_event_delay_seconds_count [1-9]/m,
			/^atelier_passes_total\{outcome="done"\} [1-9]/m,
			/^atelier_launch_seconds_count\{phase="clone"\} [01]/m,
			/^atelier_outbox_oldest_seconds \d/m,
			/^atelier_ready\{check="store"\} 1$/m,
			/^atelier_ready\{check="services"\} 1$/m,
			/^atelier_session_failures_total\{code="AGENT_CRASHED"\} 0$/m,
			/^atelier_model_cost_dollars_total 0$/m,
			/^atelier_budget_pauses_total\{scope="session"\} 0$/m,
			/^atelier_pods\{state="ready"\} \d/m,
			/^atelier_sessions\{status="\w+"\} [1-9]/m,
		]) {
			expect(text).to.match(series);
		}
		expect(text).to.not.include(id).and.to.not.include("dev-user");
		const names = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
		expect([...names].filter((name) => !Object.hasOwn(metricTable, name ?? ""))).to.deep.equal([]);
		expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).to.equal(200);
	});
});
