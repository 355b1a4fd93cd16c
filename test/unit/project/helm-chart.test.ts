/** The Helm chart is what `npm run chart` makes of the overlay for production. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { chartFiles } from "../../../config/chart/chart-files.ts";
import { chartSwitches, chartValues } from "../../../config/chart/chart-values.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

const folder = join(projectRoot, "k8s/chart");

describe("the Helm chart", () => {
	const files = chartFiles();
	const templates = [...files].filter(([path]) => path.startsWith("templates/"));

	it("is what the overlay for production has; otherwise run `npm run chart`", () => {
		const paths = trackedFiles("k8s/chart").map((file) => file.slice("k8s/chart/".length));
		expect(paths.toSorted()).to.deep.equal([...files.keys()].toSorted());
		for (const [path, text] of files) expect(readFileSync(join(folder, path), "utf8"), path).to.equal(text);
	});

	it("uses every value that it offers, and no other", () => {
		const used = templates.flatMap(([, text]) =>
			[...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, name]) => name ?? ""),
		);
		const offered = [...chartValues, ...chartSwitches].map(({ name }) => name);
		expect([...new Set(used)].toSorted()).to.deep.equal([...offered, "config", "environment"].toSorted());
		const values = parse(files.get("values.yaml") ?? "") as object;
		for (const name of offered) {
			const found = name
				.split(".")
				.reduce<unknown>((node, key) => (node instanceof Object ? Reflect.get(node, key) : undefined), values);
			expect(found, name).to.not.equal(undefined);
		}
	});

	it("leaves no mark of the script in a template, and has no namespace, which uninstalling would delete", () => {
		for (const [path, text] of templates) {
			expect(text, path).to.not.match(/VALUE_\d|CHECKSUM_|CONFIG_$/m);
			expect(text, path).to.not.match(/^kind: Namespace$/m);
		}
	});
});
