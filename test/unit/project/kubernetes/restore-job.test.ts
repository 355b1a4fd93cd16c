/** The Job with which an operator restores a backup in a cluster has what the command needs, and no more. */
import { expect } from "chai";
import { objectsOf, type PodTemplate } from "../../../support/kubernetes/deployed-objects.ts";

const production = objectsOf("overlays/production");
const { spec } = production.find(({ kind, metadata }) => kind === "CronJob" && metadata.name === "restore") ?? {};
const template = required(spec?.jobTemplate?.spec.template);
const core = required(
	production.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "core")?.spec?.template,
);

function required(found: PodTemplate | undefined): PodTemplate {
	if (!found) throw new RangeError("The overlay has no pod of this name");
	return found;
}

describe("the restore in k8s", () => {
	it("never begins by itself", () => {
		expect(spec).to.include({ suspend: true, schedule: "0 0 31 2 *" });
		expect(spec?.jobTemplate?.spec).to.include({ backoffLimit: 0 });
	});

	it("has the image, the configuration and the secrets of the process that stores", () => {
		const [restore] = template.spec.containers;
		const [store] = core.spec.containers;
		expect(restore?.image).to.be.a("string").that.equals(store?.image);
		expect(template.spec.initContainers?.map(({ image }) => image)).to.deep.equal([store?.image]);
		expect(restore?.envFrom).to.deep.equal(store?.envFrom);
		const mounted = restore?.volumeMounts?.map(({ mountPath }) => mountPath);
		expect(mounted).to.include.members(["/config", "/data", "/tmp", "/archive"]);
		expect(restore?.args).to.deep.equal(["host/archive.ts", "restore", "/archive/atelier.gz"]);
	});

	it("is confined as every process of the platform, without rights in the cluster", () => {
		const { containers, initContainers = [], securityContext, automountServiceAccountToken } = template.spec;
		expect(automountServiceAccountToken).to.equal(false);
		expect(securityContext).to.deep.equal(core.spec.securityContext);
		const limits = [...initContainers, ...containers].map(({ resources }) => resources?.limits?.["memory"]);
		expect(limits).to.deep.equal(["256Mi", "1Gi"]);
		for (const container of [...initContainers, ...containers])
			expect(container.securityContext).to.deep.equal(core.spec.containers[0]?.securityContext);
	});

	it("reaches names and MongoDB", () => {
		const name = template.metadata.labels["app.kubernetes.io/name"];
		const policies = production.filter(
			({ kind, metadata }) => kind === "NetworkPolicy" && metadata.namespace === "atelier-system",
		);
		const selected = policies.filter(({ spec: policy }) => {
			const { matchLabels, matchExpressions = [] } = policy?.podSelector ?? {};
			const hasLabels = Object.entries(matchLabels ?? {}).every(
				([key, value]) => template.metadata.labels[key] === value,
			);
			return hasLabels && matchExpressions.every(({ values }) => values.some((value) => value === name));
		});
		expect(selected.map(({ metadata }) => metadata.name)).to.have.members(["mongodb", "nothing", "platform"]);
	});
});
