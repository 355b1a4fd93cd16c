/**
 * The overlays and the chart as the programs of operators make them: Kustomize, which kubectl has in itself, and Helm.
 * Night: Kustomize and Helm are built from their sources, which takes minutes.
 * Needs: kustomize. Needs: helm.
 */
import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { type Deployed, objectsOf } from "../../support/kubernetes/deployed-objects.ts";
import { manifestFaults } from "../../support/kubernetes/manifest-faults.ts";
import { testProgram } from "../../support/machine/test-program.ts";

const k8s = join(projectRoot, "k8s");

interface Made {
	readonly [member: string]: unknown;
}

function made(program: string, ...args: string[]): Deployed[] {
	const { status, stdout, stderr } = spawnSync(testProgram(program), args, { encoding: "utf8" });
	expect(status, stderr).to.equal(0);
	// Kubernetes reads YAML 1.1, in which `off` is no text.
	const documents = parseAllDocuments(withoutHashes(stdout), { version: "1.1" });
	// A template of the chart that is switched off leaves a comment.
	return documents.map((document) => document.toJS() as Deployed | null).filter((object) => object !== null);
}

/** Names of ConfigMaps end in a hash of their content. */
function withoutHashes(text: string): string {
	return text.replace(/\b(atelier(?:-config|-nats)?)-[a-z0-9]{10}\b/g, "$1");
}

/** The objects by their names, without what a chart has beyond an overlay: a mark of the configuration, and an empty list. */
function comparable(objects: readonly Deployed[]): Record<string, Made> {
	const others = objects.filter(({ kind }) => kind !== "Namespace");
	return Object.fromEntries(
		others.map((object) => {
			const { kind, metadata } = object;
			const text = JSON.stringify(object, (key, value: unknown) => {
				if (key === "atelier.yaml" && typeof value === "string") return parse(value) as unknown;
				if (key === "imagePullSecrets") return undefined;
				return key === "annotations" && kind === "Deployment" ? undefined : value;
			});
			return [`${kind} ${metadata.namespace ?? ""} ${metadata.name}`, JSON.parse(text) as Made];
		}),
	);
}

function chart(...settings: string[]): Deployed[] {
	const set = settings.flatMap((setting) => ["--set", setting]);
	return made("helm", "template", "atelier", join(k8s, "chart"), "--namespace", "atelier-system", ...set);
}

describe("the manifests in k8s, made by the programs of operators", () => {
	let production: Record<string, Made> = {};
	before(() => {
		production = comparable(made("kustomize", "build", join(k8s, "overlays/production")));
	});

	it("are those of which the chart is made", () => {
		expect(Object.keys(production)).to.have.length.above(45);
		expect(comparable(objectsOf("overlays/production"))).to.deep.equal(production);
	});

	it("are those of the chart without a word of the operator", () => {
		expect(comparable(chart())).to.deep.equal(production);
	});

	it("are fewer, or more, when a switch of the chart says so", () => {
		const without = comparable(chart("ingress.enabled=false", "admissionPolicy.enabled=false"));
		const missing = Object.keys(production).filter((name) => !(name in without));
		expect(missing).to.have.length(9);
		expect(missing.filter((name) => !/^(?:Ingress|ValidatingAdmissionPolicy(?:Binding)?) /.test(name))).to.deep.equal(
			[],
		);
		const more = Object.keys(comparable(chart("metrics.enabled=true", "holdDrains.enabled=true")));
		expect(more.filter((name) => !(name in production))).to.have.members([
			"NetworkPolicy atelier-system metrics",
			"PodMonitor atelier-system atelier",
			"PodDisruptionBudget atelier-sessions hold-drains",
		]);
	});

	it("are refused for a namespace that the policies do not name", () => {
		const args = ["template", "atelier", join(k8s, "chart"), "--namespace", "default"];
		const { status, stderr } = spawnSync(testProgram("helm"), args, { encoding: "utf8" });
		expect(status).to.not.equal(0);
		expect(stderr).to.include("Install this chart into the namespace atelier-system");
	});

	it("can be made for trying out: one process of each kind that it needs, and one claim", () => {
		const objects = made("kustomize", "build", join(k8s, "overlays/trial"));
		const names = (kind: string) => objects.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
		expect(names("Deployment")).to.have.members(["core", "gateway", "nats", "pod-manager"]);
		expect(objects.map(({ spec }) => spec?.replicas ?? 1)).to.satisfy((all: number[]) => all.every((one) => one === 1));
		expect(names("PersistentVolumeClaim")).to.deep.equal(["core"]);
		expect([...names("PodDisruptionBudget"), ...names("HorizontalPodAutoscaler"), ...names("Secret")]).to.deep.equal(
			[],
		);
	});

	for (const component of ["gateway-api", "gvisor", "hold-drains", "metrics", "templates"])
		it(`can be made with the component "${component}"`, async () => {
			const folder = realpathSync(mkdtempSync(join(tmpdir(), "atelier-overlay-")));
			try {
				const to = (path: string) => relative(folder, join(k8s, path));
				const kustomization = `resources: [${to("overlays/production")}]\ncomponents: [${to(`components/${component}`)}]\n`;
				writeFileSync(join(folder, "kustomization.yaml"), kustomization);
				const objects = made("kustomize", "build", "--load-restrictor", "LoadRestrictionsNone", folder);
				const faults = await Promise.all(objects.map((object) => manifestFaults(object)));
				expect(faults.flat()).to.deep.equal([]);
			} finally {
				rmSync(folder, { recursive: true });
			}
		}).timeout(30_000);
});
