/**
 * The rights of each account of the platform in a cluster, as a real API server with the objects of k8s/ tells them.
 * Night: its program takes 5 to 15 minutes to build.
 */
import { expect } from "chai";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { kustomized } from "../../../config/chart/kustomization.ts";
import type { Deployed, Rule } from "../../support/kubernetes/deployed-objects.ts";
import { eventually } from "../../support/eventually.ts";
import { PlatformCluster } from "../../support/kubernetes/platform-cluster.ts";

const [system, sessions] = ["atelier-system", "atelier-sessions"];
const namespaces = [system, sessions, "default", "kube-system"];

/** A row for each resource that an account may do something with, by account and namespace. Accounts without a row have none. */
const allowed: Readonly<Record<string, readonly string[]>> = {
	"core in atelier-system": [
		"atelier.dev/sessiontemplates/status: patch",
		"atelier.dev/sessiontemplates: get list watch",
	],
	"pod-manager in atelier-sessions": [
		"authentication.k8s.io/tokenreviews: create",
		"events: list",
		"persistentvolumeclaims: create delete get list patch watch",
		"pods: create delete get list patch watch",
		"serviceaccounts: create delete get list",
	],
	"pod-manager in atelier-system": ["authentication.k8s.io/tokenreviews: create"],
	"pod-manager in default": ["authentication.k8s.io/tokenreviews: create"],
	"pod-manager in kube-system": ["authentication.k8s.io/tokenreviews: create"],
};

/** The actions that no account may do anywhere: verb, group, resource. */
const forbidden: readonly (readonly [verb: string, group: string, resource: string, subresource?: string])[] = [
	["get", "", "secrets"],
	["list", "", "secrets"],
	["get", "", "configmaps"],
	["create", "", "pods", "exec"],
	["get", "", "pods", "exec"],
	["create", "", "pods", "attach"],
	["create", "", "pods", "portforward"],
	["get", "", "pods", "log"],
	["patch", "", "pods", "ephemeralcontainers"],
	["create", "", "pods", "binding"],
	["create", "", "serviceaccounts", "token"],
	["impersonate", "", "serviceaccounts"],
	["impersonate", "", "users"],
	["get", "", "nodes"],
	["get", "", "nodes", "proxy"],
	["delete", "", "namespaces"],
	["get", "", "persistentvolumes"],
	["create", "apps", "deployments"],
	["create", "batch", "jobs"],
	["create", "networking.k8s.io", "networkpolicies"],
	["delete", "networking.k8s.io", "networkpolicies"],
	["create", "rbac.authorization.k8s.io", "rolebindings"],
	["escalate", "rbac.authorization.k8s.io", "roles"],
	["bind", "rbac.authorization.k8s.io", "clusterroles"],
	["update", "admissionregistration.k8s.io", "validatingadmissionpolicies"],
	["update", "apiextensions.k8s.io", "customresourcedefinitions"],
	["create", "atelier.dev", "sessiontemplates"],
	["patch", "atelier.dev", "sessiontemplates"],
];

/** The rights that every account of a cluster has: to ask what it may do, and who it is. */
const everybodys: ReadonlySet<string> = new Set([
	"authentication.k8s.io/selfsubjectreviews: create",
	"authorization.k8s.io/selfsubjectaccessreviews: create",
	"authorization.k8s.io/selfsubjectrulesreviews: create",
]);

function rowsOf(rules: readonly Rule[]): string[] {
	return rules
		.flatMap(({ apiGroups, resources, verbs }) =>
			apiGroups.flatMap((group) =>
				resources.map((one) => `${group === "" ? one : `${group}/${one}`}: ${verbs.toSorted().join(" ")}`),
			),
		)
		.filter((row) => !everybodys.has(row))
		.toSorted();
}

describe("the accounts of the platform in a cluster", function () {
	this.timeout(180_000);
	let cluster: PlatformCluster;
	let accounts: readonly Deployed[];

	before(async () => {
		const folder = join(projectRoot, "k8s");
		const manifests = kustomized(join(folder, "overlays/production"), [join(folder, "components/templates")]);
		const objects = manifests.map((manifest) => manifest.toJS() as Deployed);
		const session: Deployed = {
			apiVersion: "v1",
			kind: "ServiceAccount",
			metadata: { name: "session-one-g1", namespace: sessions },
		};
		accounts = [...objects.filter(({ kind }) => kind === "ServiceAccount"), session];
		cluster = await PlatformCluster.start([...objects, session]);
	});
	after(() => cluster[Symbol.asyncDispose]());

	it("may do what the table says, and nothing else, in every namespace", async () => {
		const found: Record<string, string[]> = {};
		for (const { metadata } of accounts) {
			const requests = await cluster.requestsOf(metadata.namespace ?? "", metadata.name);
			for (const namespace of namespaces) {
				const body = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } };
				const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
				// A new server has the rights of everybody a moment after its first answer.
				const answer = await eventually(
					async () => {
						const given = await requests.send({ method: "POST", path, body });
						return given.status === 201 && given;
					},
					{ withinMs: 30_000, what: `${metadata.name} may ask for its rights` },
				);
				const { resourceRules, incomplete } = answer.body["status"] as { resourceRules: Rule[]; incomplete?: boolean };
				expect(incomplete ?? false).to.equal(false);
				const rows = rowsOf(resourceRules);
				if (rows.length > 0) found[`${metadata.name} in ${namespace}`] = rows;
			}
		}
		// `restore` may do nothing in the cluster.
		const known = ["core", "credentials", "gateway", "outward", "pod-manager", "restore", "session-one-g1"];
		expect(accounts.map(({ metadata }) => metadata.name)).to.have.members(known);
		expect(found).to.deep.equal(allowed);
	});

	it("may not read secrets, enter pods, make tokens, or change rights, policies and templates; an administrator may", async () => {
		const wrong: string[] = [];
		const isAllowed = async (
			user: string,
			groups: readonly string[],
			row: (typeof forbidden)[number],
			namespace: string,
		) => {
			const [verb, group, resource, subresource = ""] = row;
			const spec = { user, groups, resourceAttributes: { verb, group, resource, subresource, namespace } };
			const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
			const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
			const answer = await cluster.admin.send({ method: "POST", path, body });
			expect(answer.status).to.equal(201);
			return (answer.body["status"] as { allowed: boolean }).allowed;
		};
		for (const row of forbidden) {
			for (const { metadata } of accounts) {
				const user = `system:serviceaccount:${metadata.namespace}:${metadata.name}`;
				const groups = [
					"system:serviceaccounts",
					`system:serviceaccounts:${metadata.namespace}`,
					"system:authenticated",
				];
				for (const namespace of [system, sessions])
					if (await isAllowed(user, groups, row, namespace)) wrong.push(`${user} ${row.join(" ")} in ${namespace}`);
			}
			if (!(await isAllowed("admin", ["system:masters"], row, sessions)))
				wrong.push(`the administrator ${row.join(" ")}`);
		}
		expect(wrong).to.deep.equal([]);
	});
});
