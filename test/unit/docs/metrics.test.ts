import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type MetricDeclaration, metricTable } from "#shared/telemetry/metrics/metric-table.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

describe("docs/metrics.md", () => {
	const page = readFileSync(join(projectRoot, "docs/metrics.md"), "utf8");

	it("has the table that the command prints", () => {
		const [, table] = /<!-- table -->\n([^]*)<!-- \/table -->/.exec(page) ?? [];
		const args = ["cli/config.ts", "--metrics"];
		expect(table).to.equal(execFileSync(process.execPath, args, { cwd: projectRoot, encoding: "utf8" }));
	});
});

describe("the table of metrics", () => {
	const declared = Object.entries<MetricDeclaration>(metricTable);

	it("has names as Prometheus wants them: with the unit, and `_total` for counters alone", () => {
		for (const [name, { type }] of declared) {
			expect(name).to.match(/^atelier_[a-z_]+$/);
			expect(name.endsWith("_total"), name).to.equal(type === "counter");
		}
	});

	it("has no label whose values callers choose", () => {
		const bounded =
			"action check code collection group kind method metric name node operation outcome phase reason scope services state status";
		for (const [name, { labels }] of declared) {
			for (const label of labels) expect(bounded.split(" "), name).to.include(label);
		}
	});

	it("has only metrics that the platform measures", () => {
		const sources = trackedFiles("services/*.ts", "host/*.ts", "shared/*.ts")
			.filter((file) => !file.endsWith("metric-table.ts"))
			.map((file) => readFileSync(join(projectRoot, file), "utf8"))
			.join("\n");
		expect(declared.map(([name]) => name).filter((name) => !sources.includes(`"${name}"`))).to.deep.equal([]);
	});
});
