import { expect } from "chai";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { annotation, label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { differenceOf, isLeavingClaim } from "#services/pod-manager/pod-runtimes/kubernetes/objects/made-object.ts";
import {
	accountManifest,
	podManifest,
	volumeClaimManifest,
} from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import { podPlan } from "../../../../../../support/kubernetes/pods/pod-plan.ts";

const plan = podPlan();
const [account, claim, pod] = [accountManifest(plan), volumeClaimManifest(plan), podManifest(plan)];

/** Returns the object as the cluster shows it, with other labels or annotations. */
function shown(made: KubeObject, labels: object = {}, annotations: object = {}): KubeObject {
	const { metadata } = made;
	return {
		...made,
		metadata: {
			...metadata,
			uid: "uid-1",
			labels: { ...metadata.labels, "example.org/own": "x", ...labels },
			annotations: { ...metadata.annotations, "example.org/own": "x", ...annotations },
		},
	};
}

function filledFrom(kind: string, member = "dataSource"): KubeObject {
	return { ...shown(claim), spec: { [member]: { kind, name: "x" } } } as KubeObject;
}

describe("differenceOf", () => {
	it("takes an object that the platform has made, with whatever else the cluster has written to it", () => {
		for (const made of [account, claim, pod]) expect(differenceOf(shown(made), made)).to.equal(undefined);
	});

	it("names the label that is another one", () => {
		const another = shown(pod, { [label.egress]: "another" });
		expect(differenceOf(another, pod)).to.equal(`its label "${label.egress}" is another one`);
		expect(differenceOf(shown(claim, { [label.workspace]: "another" }), claim)).to.contain(label.workspace);
		expect(differenceOf({ metadata: { name: "x" } }, account)).to.contain("its label");
	});

	it("takes no pod and no account without the proof of their launch", () => {
		for (const made of [account, pod])
			for (const proof of ["another", "", undefined])
				expect(differenceOf(shown(made, {}, { [annotation.proof]: proof }), made)).to.contain(
					"not made by the platform",
				);
	});

	it("takes the claim that was restored from a snapshot, and none that copies another workspace", () => {
		expect(differenceOf(filledFrom("VolumeSnapshot"), claim)).to.equal(undefined);
		for (const member of ["dataSource", "dataSourceRef"])
			expect(differenceOf(filledFrom("PersistentVolumeClaim", member), claim)).to.equal("it copies another volume");
	});
});

describe("isLeavingClaim()", () => {
	it("is true of a volume claim that was deleted, and of nothing else", () => {
		const leaving = { ...shown(claim).metadata, deletionTimestamp: "2026-11-28T19:00:00Z" };
		expect(isLeavingClaim({ metadata: leaving }, "PersistentVolumeClaim")).to.equal(true);
		expect(isLeavingClaim(shown(claim), "PersistentVolumeClaim")).to.equal(false);
		expect(isLeavingClaim({ metadata: leaving }, "Pod")).to.equal(false);
	});
});
