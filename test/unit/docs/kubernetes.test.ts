/** The page about clusters names every code, argument, component and file that there is, and no other. */
import { expect } from "chai";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { failureCodes, statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import {
	type KubernetesArguments,
	kubernetesSettings,
} from "#services/pod-manager/pod-runtimes/kubernetes/kubernetes-options.ts";
import { manifestFaults } from "../../support/kubernetes/manifest-faults.ts";
import { KubernetesRuntime } from "#services/pod-manager/pod-runtimes/kubernetes.ts";

const page = readFileSync(join(projectRoot, "docs/kubernetes.md"), "utf8");

interface Example {
	readonly apiVersion: string;
	readonly kind: string;
	readonly pods?: { readonly runtime: { readonly kwargs: KubernetesArguments } };
}

/** The first cells of the table of a section, without its heading. */
function firstCells(heading: string): string[] {
	const section = page.split(/^#{2,3} /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
	return [...section.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = ""]) => cell).slice(1);
}

function namesIn(cells: readonly string[]): string[] {
	return cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name));
}

describe("docs/kubernetes.md", () => {
	it("says what to look at for each code with which a session fails, and once", () => {
		const named = namesIn(firstCells("Troubleshooting"));
		expect(named).to.include.members([...failureCodes]);
		const others = named.filter((code) => !failureCodes.has(code));
		expect(others.filter((code) => !(code in statusReasons))).to.deep.equal([]);
		expect(new Set(named)).to.have.length(named.length);
	});

	it("has a command of kubectl for each code that has a cause in the cluster", () => {
		const section = page.split(/^## /m).find((one) => one.startsWith("Troubleshooting")) ?? "";
		for (const code of ["PROVISION_TIMEOUT", "STOP_TIMEOUT", "PLATFORM_LOST", "DISK_FULL", "START_TIMEOUT"])
			expect(
				section.split("\n").find((line) => line.includes(`| \`${code}\` |`)),
				code,
			).to.include("`kubectl ");
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

	it("has examples that the API and the runtime take", async () => {
		const examples = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ""]) => parse(text) as Example);
		expect(examples).to.have.length.above(5);
		const faults: string[] = [];
		for (const { kind, apiVersion, ...example } of examples)
			if (kind === "NetworkPolicy") faults.push(...(await manifestFaults({ kind, apiVersion, ...example })));
		expect(faults).to.deep.equal([]);
		const placements = examples.flatMap(({ pods }) =>
			pods ? [kubernetesSettings(pods.runtime.kwargs).placements] : [],
		);
		expect(placements.flatMap((one) => Object.keys(one))).to.include.members(["default", "fast", "sandboxed", "gpu"]);
	});

	it("names files that exist", () => {
		const named = [...page.matchAll(/\bk8s\/[\w./-]*\w/g)].map(([path]) => path);
		expect(named).to.have.length.above(8);
		expect(named.filter((path) => !existsSync(join(projectRoot, path)))).to.deep.equal([]);
	});
});
