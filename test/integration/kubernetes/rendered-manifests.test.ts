/**
 * The overlays and the chart as the programs of operators make them: Kustomize, which kubectl has in itself, and Helm.
 * Night: Kustomize, Helm and the API server are built from their sources, which takes minutes.
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
import { foreignKinds, manifestFaults } from "../../support/kubernetes/manifest-faults.ts";
import { PlatformCluster } from "../../support/kubernetes/platform-cluster.ts";
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

/** The components that no overlay names. */
const optional = ["gateway-api", "gvisor", "hold-drains", "metrics", "templates"];

function overlayWith(overlay: string, components: readonly string[]): Deployed[] {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "atelier-overlay-")));
	try {
		const to = (path: string) => relative(folder, join(k8s, path));
		const named = components.map((component) => to(`components/${component}`));
		const kustomization = `resources: [${to(`overlays/${overlay}`)}]\ncomponents: [${named.join(", ")}]\n`;
		writeFileSync(join(folder, "kustomization.yaml"), kustomization);
		return made("kustomize", "build", "--load-restrictor", "LoadRestrictionsNone", folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
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

	it("are the same with the component of templates and with the switch of the chart", () => {
		const withComponent = comparable(overlayWith("production", ["templates"]));
		expect(comparable(chart("templates.enabled=true"))).to.deep.equal(withComponent);
		const without = Object.keys(withComponent).filter((name) => !(name in production));
		expect(without).to.have.members([
			"CustomResourceDefinition  sessiontemplates.atelier.dev",
			"NetworkPolicy atelier-system templates",
			"Role atelier-system templates",
			"RoleBinding atelier-system templates",
		]);
	});

	for (const component of optional)
		it(`can be made with the component "${component}"`, async () => {
			const faults = await Promise.all(overlayWith("production", [component]).map((object) => manifestFaults(object)));
			expect(faults.flat()).to.deep.equal([]);
		}).timeout(30_000);
});

describe("a real API server", function () {
	this.timeout(240_000);
	let cluster: PlatformCluster;
	before(async () => {
		cluster = await PlatformCluster.start(overlayWith("production", ["templates"]));
	});
	after(() => cluster[Symbol.asyncDispose]());

	async function faultsOf(objects: readonly Deployed[]): Promise<string[]> {
		const known = objects.filter(({ kind }) => !foreignKinds.has(kind));
		expect(known).to.have.length.above(25);
		const faults: (string | undefined)[] = [];
		for (const object of known) faults.push(await cluster.faultOf(object));
		return faults.filter((fault) => fault !== undefined);
	}

	for (const overlay of ["production", "trial"])
		it(`takes every object of the overlay "${overlay}", also with all optional components`, async () => {
			expect(await faultsOf(overlayWith(overlay, []))).to.deep.equal([]);
			expect(await faultsOf(overlayWith(overlay, optional))).to.deep.equal([]);
		});

	it("takes every object of the chart, as it is and with all switches", async () => {
		expect(await faultsOf(chart())).to.deep.equal([]);
		const all = chart("metrics.enabled=true", "holdDrains.enabled=true", "templates.enabled=true");
		expect(await faultsOf(all)).to.deep.equal([]);
	});

	it("refuses an object with a member or a value that it does not know", async () => {
		const labels = { app: "one" };
		const metadata = { name: "one", namespace: "atelier-system" };
		const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata };
		const misspelt: object = { podSelector: { matchLabels: labels }, policyTypez: ["Ingress"] };
		expect(await cluster.faultOf({ ...policy, spec: misspelt })).to.match(/^NetworkPolicy one: \d+ .*policyTypez/s);
		const wrong: object = { podSelector: {}, policyTypes: ["Inwards"] };
		expect(await cluster.faultOf({ ...policy, spec: wrong })).to.match(/^NetworkPolicy one: 422 .*Inwards/s);
	});
});
