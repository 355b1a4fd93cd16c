/** The page about clusters names every code, argument, component and file that there is, and no other. */
import { expect } from "chai";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { failureCodes } from "#shared/contracts/sessions/status-reasons.ts";
import { KubernetesRuntime } from "#services/pod-manager/pod-runtimes/kubernetes.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

const page = readFileSync(join(projectRoot, "docs/kubernetes.md"), "utf8");

/** The first cells of the table of a section, without its heading. */
function firstCells(heading: string): string[] {
	const section = page.split(/^#{2,3} /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
	return [...section.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = ""]) => cell).slice(1);
}

function namesIn(cells: readonly string[]): string[] {
	return cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name));
}

describe("docs/kubernetes.md", () => {
	it("says what to look at for each code that the runtime knows", () => {
		const sources = trackedFiles("services/pod-manager/pod-runtimes/kubernetes/*.ts")
			.map((file) => readFileSync(join(projectRoot, file), "utf8"))
			.join("\n");
		const words = [...sources.matchAll(/"([A-Z]+_[A-Z_]+|[A-Z]{5,})"/g)].map(([, word = ""]) => word);
		const known = new Set(words.filter((word) => failureCodes.has(word)));
		expect(known.size).to.be.above(20);
		const named = namesIn(firstCells("Troubleshooting"));
		expect(named.filter((code) => !failureCodes.has(code))).to.deep.equal([]);
		expect([...known].filter((code) => !named.includes(code))).to.deep.equal([]);
	});

	it("explains every argument of the runtime", () => {
		const named = namesIn(firstCells("Settings of sessions"));
		expect(named.toSorted()).to.deep.equal([...KubernetesRuntime.kwargs].toSorted());
	});

	it("lists every component, and the first four as those of the overlay for production", () => {
		const named = namesIn(firstCells("Components"));
		expect(named.toSorted()).to.deep.equal(readdirSync(join(projectRoot, "k8s/components")).toSorted());
		const overlay = readFileSync(join(projectRoot, "k8s/overlays/production/kustomization.yaml"), "utf8");
		const used = [...overlay.matchAll(/components\/([\w-]+)/g)].map(([, name = ""]) => name);
		expect(named.slice(0, 4).toSorted()).to.deep.equal(used.toSorted());
	});

	it("names files that exist", () => {
		const named = [...page.matchAll(/\bk8s\/[\w./-]*\w/g)].map(([path]) => path);
		expect(named).to.have.length.above(8);
		expect(named.filter((path) => !existsSync(join(projectRoot, path)))).to.deep.equal([]);
	});
});
