/** The promises of the manifests in k8s/ that hold without a cluster. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { natsConfig, readProcessKind } from "#shared/bus/nats/nats-config.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { loadConfig } from "#shared/config/config.ts";
import { chosenFolders, serviceFolders } from "#host/service-folders.ts";
import { annotation, label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { kubernetesSettings } from "#services/pod-manager/pod-runtimes/kubernetes/kubernetes-options.ts";
import { agentPort, launchAudience } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import {
	type Deployed,
	objectsOf,
	type PodTemplate,
	writtenObjects,
} from "../../support/kubernetes/deployed-objects.ts";
import { manifestFaults } from "../../support/kubernetes/manifest-faults.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

const text = (file: string) => readFileSync(join(projectRoot, "k8s", file), "utf8");
const production = objectsOf("overlays/production");
const ofKind = (kind: string) => production.filter((object) => object.kind === kind);
const pods = production.flatMap(({ metadata, spec }): [string, PodTemplate][] =>
	spec?.template ? [[metadata.name, spec.template]] : [],
);

/** The rights of each account in the cluster, a row each: group, resource, verbs. Accounts without a row have none. */
const rights = {
	"atelier-system/pod-manager in atelier-sessions": [
		"pods: create delete get list patch watch",
		"persistentvolumeclaims: create delete get list patch watch",
		"serviceaccounts: create delete get list",
		"events: list",
	],
	"atelier-system/pod-manager": ["authentication.k8s.io/tokenreviews: create"],
};

function rightsOf(objects: readonly Deployed[]): Record<string, string[]> {
	const bindings = objects.filter(({ kind }) => kind.endsWith("RoleBinding"));
	return Object.fromEntries(
		bindings.map(({ metadata: { namespace }, roleRef, subjects = [] }) => {
			const role = objects.find(({ kind, metadata }) => kind === roleRef?.kind && metadata.name === roleRef.name);
			const who = subjects.map((one) => `${one.namespace}/${one.name}`).join(" ");
			const rows = (role?.rules ?? []).flatMap(({ apiGroups, resources, verbs }) =>
				apiGroups.flatMap((group) =>
					resources.map((one) => `${group === "" ? one : `${group}/${one}`}: ${verbs.toSorted().join(" ")}`),
				),
			);
			return [namespace === undefined ? who : `${who} in ${namespace}`, rows];
		}),
	);
}

/** The services of each Deployment, by its name. */
function servicesOf(objects: readonly Deployed[]): Map<string, readonly string[]> {
	const deployments = objects.filter(({ kind }) => kind === "Deployment");
	return new Map(
		deployments.map(({ metadata, spec }) => [
			metadata.name,
			chosenFolders(spec?.template?.spec.containers[0]?.args?.slice(1) ?? []),
		]),
	);
}

describe("the manifests in k8s", () => {
	it("have only values and members that the API of a cluster has", async () => {
		const written = writtenObjects().filter(({ file }) => !file.endsWith("/one-core.yaml"));
		expect(written).to.have.length.above(45);
		const faults: string[] = [];
		for (const { file, object } of written)
			for (const fault of await manifestFaults(object)) faults.push(`${file}: ${fault}`);
		for (const object of production) faults.push(...(await manifestFaults(object)));
		expect(faults).to.deep.equal([]);
	}).timeout(30_000);

	it("are noticed when they have a value or a member that it does not have", async () => {
		const labels = { app: "one" };
		const deployment = {
			apiVersion: "apps/v1",
			kind: "Deployment",
			metadata: { name: "one" },
			spec: {
				replicas: "two",
				selector: { matchLabels: labels },
				template: { metadata: { labels }, spec: { containers: [{ name: "one", imag: "one" }] } },
			},
		};
		const faults = await manifestFaults(deployment);
		expect(faults).to.have.length(2);
		expect(faults[0]).to.equal('Deployment.spec.template.spec.containers[0] has no member "imag"');
		expect(faults[1]).to.include("replicas must be integer");
	});

	it("have no secret", () => {
		expect(
			[...writtenObjects().map(({ object }) => object), ...production].filter(({ kind }) => kind === "Secret"),
		).to.have.length(0);
		const variables = pods.flatMap(([name, { spec }]) =>
			(spec.containers[0]?.env ?? []).map((one) => ({ pod: name, ...one })),
		);
		expect(
			variables.filter(({ name, value }) => /PASSWORD|KEY|TOKEN|SECRET/.test(name) && value !== undefined),
		).to.deep.equal([]);
		const configured = ofKind("ConfigMap").flatMap(({ data = {} }) => Object.keys(data));
		expect(configured.filter((name) => /PASSWORD|KEY|TOKEN|SECRET/.test(name))).to.deep.equal([]);
	});

	it("give the pod manager the rights that it needs, and no other account any", () => {
		expect(rightsOf(production)).to.deep.equal(rights);
		const mounted = pods.filter(([, { spec }]) => spec.automountServiceAccountToken !== false).map(([name]) => name);
		expect(mounted).to.deep.equal(["pod-manager"]);
		const accounts = pods.map(([, { spec }]) => spec.serviceAccountName).filter((name) => name !== undefined);
		expect(new Set(accounts)).to.have.length(accounts.length);
	});

	it("confine every container as the profile `restricted` demands, with a limit of memory and probes", () => {
		expect(pods).to.have.length(6);
		for (const [name, { spec }] of pods) {
			const { runAsNonRoot, runAsUser, seccompProfile } = spec.securityContext ?? {};
			expect({ runAsNonRoot, seccomp: seccompProfile?.type }, name).to.deep.equal({
				runAsNonRoot: true,
				seccomp: "RuntimeDefault",
			});
			expect(runAsUser, name).to.be.above(0);
			for (const { securityContext, resources, livenessProbe, readinessProbe } of spec.containers) {
				const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = securityContext ?? {};
				expect({ allowPrivilegeEscalation, readOnlyRootFilesystem, drop: capabilities?.drop }, name).to.deep.equal({
					allowPrivilegeEscalation: false,
					readOnlyRootFilesystem: true,
					drop: ["ALL"],
				});
				expect(resources?.limits?.["memory"], name).to.be.a("string");
				expect([livenessProbe, readinessProbe], name).to.not.include(undefined);
			}
		}
	});

	it("run every service, in kinds of processes for which NATS has users", () => {
		const services = servicesOf(production);
		expect([...services.values()].flat().toSorted()).to.deep.equal([...serviceFolders].toSorted());
		const kinds = [...services].map(([name, folders]) => readProcessKind(`${name}=${folders.join("+")}`));
		const order = ["gateway", "core", "outward", "credentials", "pod-manager"];
		const ordered = kinds.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
		expect(text("components/nats-cluster/users.conf")).to.equal(natsConfig(ordered));
		for (const [name, template] of pods.filter(([pod]) => pod !== "nats"))
			expect(template.spec.containers[0]?.env?.[0], name).to.deep.equal({
				name: "BUS__USER",
				value: `atelier-${name}`,
			});
	});

	it("run all that store in one process where the store is embedded", () => {
		const one = parse(text("overlays/trial/one-core.yaml")) as Deployed;
		const folders = one.spec?.template?.spec.containers[0]?.args?.slice(1) ?? [];
		expect(chosenFolders(folders)).to.deep.equal(chosenFolders([...storingServices, "credentials"]));
	});

	for (const overlay of ["trial", "production"])
		it(`have a configuration in the overlay "${overlay}" that the platform and its runtime accept`, () => {
			const config = loadConfig({ ATELIER_CONFIG: join(projectRoot, `k8s/overlays/${overlay}/atelier.yaml`) });
			const { doorPort, platformOrigin, namespace } = kubernetesSettings(config.pods.runtime.kwargs);
			expect({ doorPort, platformOrigin, namespace }).to.deep.equal({
				doorPort: 7440,
				platformOrigin: "http://gateway.atelier-system:8080",
				namespace: "atelier-sessions",
			});
			expect(config.ops).to.deep.include({ host: "0.0.0.0", port: 9090 });
			expect([config.gateway.host, config.gateway.port]).to.deep.equal(["0.0.0.0", 8080]);
		});
});

describe("the network policies in k8s", () => {
	const policies = ofKind("NetworkPolicy");
	const named = (namespace: string, name: string) =>
		policies.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)?.spec;

	it("close both namespaces for what no other policy opens", () => {
		for (const namespace of ["atelier-system", "atelier-sessions"]) {
			const { podSelector, policyTypes, ingress } = named(namespace, "nothing") ?? {};
			expect({ podSelector, policyTypes, ingress }, namespace).to.deep.equal({
				podSelector: {},
				policyTypes: ["Ingress", "Egress"],
				ingress: undefined,
			});
		}
	});

	it("let others reach three ports of the platform, and one of a session", () => {
		const open = policies.flatMap(({ metadata, spec }) =>
			(spec?.ingress ?? []).flatMap(({ ports = [] }) =>
				ports.map(({ port }) => `${metadata.namespace} ${metadata.name} ${port}`),
			),
		);
		expect(open.toSorted()).to.deep.equal([
			`atelier-sessions platform ${agentPort}`,
			"atelier-system gateway 8080",
			"atelier-system nats 4222",
			"atelier-system nats 6222",
			"atelier-system pod-manager 7440",
		]);
	});

	it("let every process of the platform find names and NATS", () => {
		const { podSelector } = named("atelier-system", "platform") ?? {};
		for (const [name, { metadata }] of pods.filter(([pod]) => pod !== "nats"))
			expect(metadata.labels, name).to.include(podSelector?.matchLabels ?? { "": "" });
	});
});

describe("the admission policies in k8s", () => {
	it("fix every label by which the platform and network policies find a pod, and the status", () => {
		const rule = text("components/admission-policy/labels.yaml");
		expect(Object.values(label).filter((name) => !rule.includes(`'${name}'`))).to.deep.equal([]);
		expect(rule).to.include(`'${annotation.status}'`);
	});

	it("name the audience of launches, and the namespaces", () => {
		const rule = text("components/admission-policy/pods.yaml");
		expect(rule).to.include(`orValue('') == '${launchAudience}'`);
		expect(rule).to.include("'system:serviceaccount:atelier-system:pod-manager'");
		const bindings = ofKind("ValidatingAdmissionPolicyBinding");
		expect(bindings).to.have.length(4);
		expect(JSON.stringify(bindings).match(/"kubernetes.io\/metadata.name":"atelier-sessions"/g)).to.have.length(4);
	});
});
