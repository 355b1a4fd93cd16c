/** The check whether a network enforces policies: of its pods, only a policy for the one direction tells each pair apart. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";

interface Selector {
	readonly matchLabels?: Readonly<Record<string, string>>;
	readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

interface Peer {
	readonly podSelector?: Selector;
	readonly namespaceSelector?: Selector;
}

interface CheckObject {
	readonly kind: string;
	readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
	readonly spec: {
		readonly podSelector: Selector;
		readonly policyTypes: readonly string[];
		readonly ingress?: readonly { readonly from: readonly Peer[] }[];
		readonly egress?: readonly { readonly to: readonly Peer[]; readonly ports: readonly object[] }[];
	};
}

function objectsIn(file: string): CheckObject[] {
	const documents = parseAllDocuments(readFileSync(join(projectRoot, "k8s", file), "utf8"));
	return documents.map((document) => document.toJS() as CheckObject);
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, check: string): boolean {
	const hasLabels = Object.entries(matchLabels).every(([key, value]) => key === "check" && value === check);
	return hasLabels && matchExpressions.every(({ key, values }) => key === "check" && values.includes(check));
}

describe("the check of network policies", () => {
	const objects = objectsIn("checks/network-policies.yaml");
	const policies = objects.filter(({ kind }) => kind === "NetworkPolicy").map(({ spec }) => spec);
	const concerning = (check: string, type: string) =>
		policies.filter(({ podSelector, policyTypes }) => selects(podSelector, check) && policyTypes.includes(type));

	/** Whether policies let the pod into the server, and out to it. */
	function reaches(check: string): { in: boolean; out: boolean } {
		const into = concerning("server", "Ingress").flatMap(({ ingress = [] }) => ingress.flatMap(({ from }) => from));
		const leaving = concerning(check, "Egress");
		const targets = leaving.flatMap(({ egress = [] }) => egress.flatMap(({ to }) => to));
		const isServer = ({ podSelector = {}, namespaceSelector }: Peer) =>
			namespaceSelector === undefined && selects(podSelector, "server");
		return {
			in: into.some(({ podSelector = {} }) => selects(podSelector, check)),
			out: leaving.length === 0 || targets.some(isServer),
		};
	}

	it("has a pod that is refused by each direction alone, and one beside it that is allowed", () => {
		const pods = objects.filter(({ kind }) => kind === "Pod").map(({ metadata }) => metadata);
		for (const { name, labels } of pods) expect(labels).to.deep.equal({ check: name });
		const clients = pods.map(({ name }) => name).filter((name) => name !== "server");
		expect(Object.fromEntries(clients.map((name) => [name, reaches(name)]))).to.deep.equal({
			allowed: { in: true, out: true },
			refused: { in: false, out: true },
			"out-allowed": { in: true, out: true },
			"out-refused": { in: true, out: false },
		});
	});

	it("finds names as sessions do", () => {
		const namesOf = (specs: readonly CheckObject["spec"][]) =>
			specs.flatMap(({ egress = [] }) => egress).filter(({ ports }) => JSON.stringify(ports).includes('"port":53'));
		const sessions = objectsIn("base/sessions/network-policies.yaml").map(({ spec }) => spec);
		expect(namesOf(concerning("out-refused", "Egress"))).to.deep.equal(namesOf(sessions));
	});

	it("is waited for by the command of the page", () => {
		const page = readFileSync(join(projectRoot, "docs/kubernetes.md"), "utf8");
		const [, named = ""] = /=Succeeded (.*) --timeout/.exec(page) ?? [];
		const clients = objects.filter(({ kind, metadata }) => kind === "Pod" && metadata.name !== "server");
		expect(named.split(" ")).to.have.members(clients.map(({ metadata }) => `pod/${metadata.name}`));
	});
});
