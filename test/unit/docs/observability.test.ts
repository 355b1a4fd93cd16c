import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failureCodes } from "#shared/contracts/sessions/status-reasons.ts";
import { metricTable, type MetricDeclaration } from "#shared/telemetry/metrics/metric-table.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const table: Readonly<Record<string, MetricDeclaration>> = metricTable;

interface Dashboard {
	readonly panels: readonly {
		readonly title: string;
		readonly gridPos: { readonly x: number; readonly y: number };
		readonly targets: readonly { readonly expr: string }[];
	}[];
}

function textOf(path: string): string {
	return readFileSync(join(projectRoot, path), "utf8");
}

/** Returns the names of our metrics in an expression, without the endings of histograms' series. */
function metricsIn(expression: string): string[] {
	return [...expression.matchAll(/\batelier_\w+/g)].map(([name]) => {
		const series = /^(.*)_(?:bucket|sum|count)$/.exec(name)?.[1];
		return series !== undefined && table[series]?.type === "histogram" ? series : name;
	});
}

describe("the dashboard for Grafana", () => {
	const { panels }: Dashboard = JSON.parse(textOf("config/observability/grafana-dashboard.json"));
	const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

	it("asks for metrics of the table only, and shows all of them", () => {
		const asked = new Set(expressions.flatMap(metricsIn));
		const shown = Object.keys(table).filter((name) => name !== "atelier_http_requests_under_way");
		expect([...asked]).to.include.members(shown);
		expect([...asked].filter((name) => !Object.hasOwn(table, name))).to.deep.equal([]);
	});

	it("has a place of its own for each panel", () => {
		expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x},${y}`)).size).to.equal(panels.length);
		expect(new Set(panels.map(({ title }) => title)).size).to.equal(panels.length);
	});
});

/** Returns the alerts whose expression matches a code of failed sessions, as Prometheus would. */
function alertsFor(code: string, rules: string): string[] {
	const all = [...rules.matchAll(/- alert: (\w+)\s+expr: (.+)$/gm)];
	const isMatched = (expression: string) =>
		[...expression.matchAll(/atelier_session_failures_total\{code(=~?)"([^"]+)"\}/g)].some(([, sign, pattern = ""]) =>
			sign === "=~" ? new RegExp(`^(?:${pattern})$`).test(code) : pattern === code,
		);
	return all.flatMap(([, name = "", expression = ""]) => (isMatched(expression) ? [name] : []));
}

describe("the codes of failed sessions", () => {
	const rules = textOf("config/observability/alerts.yaml");
	const page = textOf("docs/observability.md");
	const told = new Map(
		[...page.matchAll(/^\| `(\w+)` \| ((?:`[A-Z_]+`(?:, )?)+) \|$/gm)].map(([, alert, codes]) => [alert, codes]),
	);

	it("fire exactly the alert that docs/observability.md says, or none", () => {
		const fired = Map.groupBy([...failureCodes, "other"], (code) => alertsFor(code, rules).join(" "));
		fired.delete("");
		const codesOf = (codes: string[]) =>
			codes
				.toSorted()
				.map((code) => `\`${code}\``)
				.join(", ");
		expect(new Map([...fired].map(([alert, codes]) => [alert, codesOf(codes)]))).to.deep.equal(told);
		expect(told.size).to.equal(3);
	});
});

describe("the example of a configuration for Prometheus", () => {
	it("says of each target which kind of process it is, as its unit does", () => {
		const groups = [
			...textOf("config/observability/prometheus.yml").matchAll(/\{ process: ([\w-]+) \}, targets: \[(.+)\]/g),
		];
		expect(groups.map(([, kind]) => kind)).to.have.members(["core", "gateway", "pod-manager"]);
		for (const [, kind = "", targets = ""] of groups) {
			const [, port] = /OPS__PORT=(\d+)%i/.exec(textOf(`config/systemd/atelier-${kind}@.service`)) ?? [];
			expect(targets.split(", ")).to.deep.equal([1, 2].map((n) => `127.0.0.1:${port}${n}`));
		}
	});
});

describe("the rules of alerts", () => {
	const rules = textOf("config/observability/alerts.yaml");

	it("ask for metrics of the table only, with labels that these have", () => {
		for (const [, expression = ""] of rules.matchAll(/^ +expr: (.+)$/gm)) {
			for (const name of metricsIn(expression)) expect(table, expression).to.have.property(name);
			for (const [, name = "", label = ""] of expression.matchAll(/\b(atelier_\w+)\{(\w+)/g)) {
				const [metric = ""] = metricsIn(name);
				expect(table[metric]?.labels, expression).to.include(label);
			}
		}
	});

	it("are explained in docs/observability.md, each in a row", () => {
		const page = textOf("docs/observability.md");
		for (const [, name = ""] of rules.matchAll(/- alert: (\w+)/g))
			expect(page).to.match(new RegExp(`^\\| \`${name}\` \\|`, "m"));
	});
});
