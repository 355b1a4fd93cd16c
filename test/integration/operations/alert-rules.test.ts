/** The rules of alerts and the text of the metrics, as Prometheus itself judges them. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { promtool } from "../../support/operations/promtool.ts";

const rules = "config/observability/alerts.yaml";
const cases = "test/fixtures/alerts.test.yaml";

function textOf(path: string): string {
	return readFileSync(join(projectRoot, path), "utf8");
}

describe("the rules of alerts", function () {
	this.timeout(60_000);

	it("are in order, and so is the example of a configuration", async () => {
		await promtool(["check", "rules", rules]);
		await promtool(["check", "config", "config/observability/prometheus.yml"]);
	});

	it("fire in the case that they are for, and are silent beside it", async () => {
		await promtool(["test", "rules", cases]);
	});

	it("have both cases each", () => {
		const alerts = [...textOf(rules).matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
		const tested = [...textOf(cases).matchAll(/- name: (.+)/g)].map(([, name]) => name);
		// A case may say more of when it is so, e.g. "fires for a start that fails".
		const kinds = new Set(tested.map((name = "") => /^\w+ (?:fires|is silent)/.exec(name)?.[0] ?? name));
		expect([...kinds]).to.have.members(alerts.flatMap((name) => [`${name} fires`, `${name} is silent`]));
	});
});

describe("the text of the metrics", () => {
	it("is what Prometheus reads", async () => {
		const metrics = new Metrics();
		metrics.counter("atelier_session_failures_total").at('A"B\\C').add();
		metrics.histogram("atelier_launch_seconds").at("total").observe(3);
		metrics.sample("atelier_process_resident_bytes", () => 1e9);
		await promtool(["check", "metrics"], await exposition(metrics));
	});
});
