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
import { type Deployed, objectsOf, writtenObjects } from "../../support/kubernetes/deployed-objects.ts";
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
const optional = ["gateway-api", "gvisor", "hold-drains", "metrics", "openshift", "templates", "vault"];

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

/** Returns what Helm says of settings that it refuses. */
function refusalOf(...settings: string[]): string {
	const set = settings.flatMap((setting) => ["--set", setting]);
	const args = ["template", "atelier", join(k8s, "chart"), "--namespace", "atelier-system", ...set];
	const { status, stderr } = spawnSync(testProgram("helm"), args, { encoding: "utf8" });
	expect(status, settings.join(" ")).to.not.equal(0);
	return stderr;
}

function configOf(objects: readonly Deployed[]): Readonly<Record<string, string>> {
	return objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "atelier-config")?.data ?? {};
}

describe("the values of the chart", () => {
	const wrong: readonly [string, string][] = [
		["images.platfrom=one", "'platfrom' not allowed"],
		["core.replicas=two", "'/core/replicas': got string, want integer"],
		["core.resources.limits.memory=2Gib", "'2Gib' does not match"],
		["core.resources.limit.memory=2Gi", "'limit' not allowed"],
		["sessions.refusedNetworks[0]=10.0.0.0", "'10.0.0.0' does not match"],
		["imagePullSecrets[0].nam=one", "'nam' not allowed"],
		["ingress.enabled=maybe", "'/ingress/enabled': got string, want boolean"],
		["environment.ONE=true", "'/environment/ONE': got boolean, want string"],
		["configFiles.atelier\\.yaml=one", "'atelier.yaml'"],
		["config.gateway.public_ulr=https://one.example", "'public_ulr' not allowed"],
		["config.budgets.session_limit=much", "got string, want number"],
	];
	for (const [setting, words] of wrong)
		it(`do not take ${setting}`, () => {
			expect(refusalOf(setting)).to.include(words);
		});

	it("have one name for the Ingress and for the platform", () => {
		const words = 'config.gateway.public_url has the host "atelier.example" and ingress.host is "one.example"';
		expect(refusalOf("ingress.host=one.example")).to.include(words);
		const both = ["ingress.host=one.example", "config.gateway.public_url=https://one.example"];
		expect(chart(...both).filter(({ kind }) => kind === "Ingress")).to.have.length(1);
		expect(chart("ingress.enabled=false", "config.gateway.public_url=https://one.example")).to.have.length.above(40);
	});

	it("keep no role of the overlay beside those of the operator", () => {
		const identity = "config.identity.kwargs.role_mapping.operators=admin";
		const adapter = "config.identity.adapter=services/gateway/identity-providers/oidc-team.ts#OidcTeamIdentity";
		const config = parse(configOf(chart(adapter, identity))["atelier.yaml"] ?? "") as { identity: { kwargs: object } };
		expect(config.identity.kwargs).to.deep.equal({ role_mapping: { operators: "admin" } });
	});

	it("put further files beside the configuration, and replace the pods when one changes", () => {
		const marksOf = (...settings: string[]) => {
			const objects = chart(...settings);
			const annotations = objects.map(({ kind, spec }) =>
				kind === "Deployment" ? spec?.template?.metadata.annotations?.["atelier.dev/config"] : undefined,
			);
			return { files: configOf(objects), marks: annotations.filter((mark) => mark !== undefined) };
		};
		const [one, other] = ["one", "other"].map((text) => marksOf(`configFiles.company\\.pem=${text}`));
		expect(one?.files).to.have.all.keys("atelier.yaml", "company.pem");
		expect(one?.files["company.pem"]).to.equal("one");
		expect(one?.marks).to.have.length(5);
		expect(one?.marks.filter((mark) => other?.marks.includes(mark))).to.deep.equal([]);
	});

	it("give the processes `core` the client secret of the issuer from the Secret of the operator", () => {
		const objects = chart("pat.issuerSecretName=keycloak", "pat.issuerSecretKey=secret");
		const having = objects.filter((object) =>
			JSON.stringify(object).includes("PAT__TOKEN_ISSUER_KWARGS__CLIENT_SECRET"),
		);
		expect(having.map(({ metadata }) => metadata.name)).to.deep.equal(["core"]);
		expect(JSON.stringify(having[0])).to.include('"secretKeyRef":{"name":"keycloak","key":"secret","optional":true}');
	});

	it("lose a default by `null`", () => {
		const quota = chart("sessions.quota.pods=null").find(({ kind }) => kind === "ResourceQuota")?.spec;
		expect(quota).to.have.property("hard").that.includes.keys("requests.cpu").and.does.not.have.property("pods");
	});
});

describe("a real API server", function () {
	this.timeout(240_000);
	let cluster: PlatformCluster;
	before(async () => {
		cluster = await PlatformCluster.start(overlayWith("production", ["templates"]));
		// A controller would make it. The pods of NATS have no account of their own.
		const metadata = { name: "default", namespace: "atelier-system" };
		await cluster.create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
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

	/** Returns the pods that controllers would make of an object. */
	function podsOf({ metadata: { name, namespace }, spec }: Deployed): Deployed[] {
		const template = spec?.template ?? spec?.jobTemplate?.spec.template;
		if (template === undefined) return [];
		const metadata = { ...template.metadata, name: `${name}-1`, ...(namespace !== undefined && { namespace }) };
		const inside: object = template.spec;
		return [{ apiVersion: "v1", kind: "Pod", metadata, spec: inside }];
	}

	it("lets every pod of the platform and of a restore run in a namespace of the profile `restricted`", async () => {
		for (const overlay of ["production", "trial"]) {
			const pods = overlayWith(overlay, []).flatMap(podsOf);
			expect(pods.map(({ metadata }) => metadata.name)).to.include.members(["core-1", "restore-1"]);
			const faults = await Promise.all(pods.map((pod) => cluster.faultOf(pod)));
			expect(faults.filter((fault) => fault !== undefined)).to.deep.equal([]);
		}
	});

	it("takes the objects of the check of the network", async () => {
		const objects = writtenObjects().filter(({ file }) => file.startsWith("k8s/checks/"));
		const [namespace, ...others] = objects.map(({ object }) => object);
		if (!namespace) throw new Error("The check has no namespace");
		await cluster.create(namespace);
		const metadata = { name: "default", namespace: namespace.metadata.name };
		await cluster.create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
		const faults = await Promise.all(others.map((object) => cluster.faultOf(object)));
		expect(faults).to.have.length(9);
		expect(faults.filter((fault) => fault !== undefined)).to.deep.equal([]);
	});

	it("refuses such a pod when it may have further rights", async () => {
		const [pod] = overlayWith("production", [])
			.filter(({ metadata }) => metadata.name === "restore")
			.flatMap(podsOf);
		const spec: object = { ...pod?.spec, hostNetwork: true };
		const metadata = { ...pod?.metadata, name: "one" };
		const faulty = { apiVersion: "v1", kind: "Pod", metadata, spec };
		expect(await cluster.faultOf(faulty)).to.match(/^Pod one: 403 .*violates PodSecurity "restricted:latest"/);
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
