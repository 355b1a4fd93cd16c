/** The Helm chart is what `npm run chart` makes of the overlay for production. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { chartFiles } from "../../../config/chart/chart-files.ts";
import { chartSwitches, chartValues, freeValues } from "../../../config/chart/chart-values.ts";
import { valuesSchema } from "../../../config/chart/values-schema.ts";
import { configSchema } from "#shared/config/config-schema.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

const folder = join(projectRoot, "k8s/chart");

interface Level {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Level>>;
	readonly additionalProperties?: unknown;
}

/** The names of the values of a schema, with dots between levels; a level is what has others in it and nothing else. */
function namesIn({ properties = {} }: Level, above: readonly string[] = []): string[] {
	return Object.entries(properties).flatMap(([name, part]) => {
		const path = [...above, name];
		const isLevel = part.properties !== undefined && !("description" in part);
		return isLevel ? namesIn(part, path) : [path.join(".")];
	});
}

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
		const names = used.map((name) => (name.startsWith("config.") ? "config" : name));
		expect([...new Set(names)].toSorted()).to.deep.equal([...offered, ...Object.keys(freeValues)].toSorted());
		const values = parse(files.get("values.yaml") ?? "") as object;
		for (const name of offered) {
			const found = name
				.split(".")
				.reduce<unknown>((node, key) => (node instanceof Object ? Reflect.get(node, key) : undefined), values);
			expect(found, name).to.not.equal(undefined);
		}
	});

	it("has a schema of exactly the values that it offers, and of every key of the configuration", () => {
		const schema = valuesSchema() as Level;
		const offered = [...chartValues, ...chartSwitches].map(({ name }) => name);
		expect(namesIn(schema).toSorted()).to.deep.equal([...offered, ...Object.keys(freeValues), "global"].toSorted());
		const { config } = schema.properties ?? {};
		expect(Object.keys(config?.properties ?? {})).to.deep.equal(Object.keys(configSchema));
		expect(schema.additionalProperties).to.equal(false);
	});

	it("takes no other key in any section of the configuration", () => {
		const open: string[] = [];
		const visit = (node: unknown, path: string) => {
			if (!(node instanceof Object)) return;
			if ("properties" in node && (node as Level).additionalProperties !== false) open.push(path);
			for (const [key, part] of Object.entries(node)) visit(part, `${path}/${key}`);
		};
		visit(valuesSchema(), "");
		expect(open).to.deep.equal([]);
	});

	it("leaves the configuration of logins to its template, because Helm would merge that of an operator with it", () => {
		const { config } = parse(files.get("values.yaml") ?? "") as { config: object };
		expect(config).to.not.have.property("identity");
		expect(files.get("values.yaml")).to.include("  #     role_mapping:");
	});

	it("leaves no mark of the script in a template, and has no namespace, which uninstalling would delete", () => {
		for (const [path, text] of templates) {
			expect(text, path).to.not.match(/VALUE_\d|CHECKSUM_|IDENTITY_|CONFIG_$/m);
			expect(text, path).to.not.match(/^kind: Namespace$/m);
		}
	});
});
