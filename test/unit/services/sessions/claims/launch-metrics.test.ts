import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { LaunchMetrics } from "#services/sessions/claims/launch-metrics.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();

function session(change: object): Session {
	return { status: "running", status_reason: null, timings: {}, ...change } as unknown as Session;
}

describe("LaunchMetrics", () => {
	it("observes the phases of a launch once, when the session begins to run", async () => {
		const metrics = new Metrics();
		const launches = new LaunchMetrics(metrics);
		const timings = { requested: at(0), claimed: at(1), spawned: at(3), cloned: at(8), set_up: at(8), ready: at(9) };
		launches.changed("starting", session({ status: "provisioning", timings }));
		launches.changed("provisioning", session({ timings }));
		launches.changed("running", session({ timings }));
		const text = await exposition(metrics);
		for (const [phase, seconds] of Object.entries({ claim: 1, spawn: 2, clone: 5, set_up: 0, agent: 1, total: 9 })) {
			expect(text).to.include(`atelier_launch_seconds_sum{phase="${phase}"} ${seconds}\n`);
			expect(text).to.include(`atelier_launch_seconds_count{phase="${phase}"} 1\n`);
		}
	});

	it("leaves out times that a pod has not told, or made up", async () => {
		const metrics = new Metrics();
		const timings = { requested: at(5), claimed: at(6), spawned: at(2), ready: "never" };
		new LaunchMetrics(metrics).changed("provisioning", session({ timings }));
		const text = await exposition(metrics);
		expect(text).to.include('atelier_launch_seconds_count{phase="claim"} 1\n');
		for (const phase of ["spawn", "clone", "total"])
			expect(text).to.include(`atelier_launch_seconds_count{phase="${phase}"} 0\n`);
	});

	it("counts failures by code; a code that a pod made up is no label", async () => {
		const metrics = new Metrics();
		const launches = new LaunchMetrics(metrics);
		const failed = (code: string) => session({ status: "failed", status_reason: { code } });
		launches.changed("running", failed("AGENT_CRASHED"));
		launches.changed("failed", failed("AGENT_CRASHED"));
		launches.changed("running", failed("POD_ENDED"));
		launches.changed("running", failed("X".repeat(100)));
		const text = await exposition(metrics);
		expect(text).to.include('atelier_session_failures_total{code="AGENT_CRASHED"} 1\n');
		expect(text).to.include('atelier_session_failures_total{code="POD_ENDED"} 1\n');
		expect(text).to.include('atelier_session_failures_total{code="other"} 1\n');
		expect(text).to.not.include("XXX");
	});
});
