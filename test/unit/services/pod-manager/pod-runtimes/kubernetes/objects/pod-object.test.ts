import { expect } from "chai";
import { annotation, label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { podObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import { clusterPod } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-state.ts";
import { circumstances, sessionId } from "../../../../../../support/kubernetes/pods/pod-objects.ts";

/** A pod of a drained machine that was ended before its container began, as a cluster has written it. */
const endedBeforeItBegan = {
	metadata: {
		name: `session-${sessionId}-g1`,
		uid: "u",
		resourceVersion: "573",
		labels: { [label.session]: sessionId, [label.generation]: "1" },
		annotations: { "karpenter.sh/do-not-disrupt": "true" },
		deletionTimestamp: "2026-11-28T08:27:43Z",
		finalizers: ["atelier.dev/records"],
		managedFields: [{ manager: "kubelet" }],
	},
	spec: { nodeName: "node1", serviceAccountName: `session-${sessionId}-g1`, restartPolicy: "Never" },
	status: {
		phase: "Failed",
		conditions: [
			{
				type: "DisruptionTarget",
				status: "True",
				reason: "EvictionByEvictionAPI",
				message: "Eviction API: evicting",
				lastProbeTime: null,
				lastTransitionTime: "2026-11-28T08:27:41Z",
			},
		],
		containerStatuses: [
			{
				name: "session",
				lastState: {},
				state: {
					terminated: {
						exitCode: 137,
						reason: "ContainerStatusUnknown",
						message: "The container could not be located when the pod was terminated",
						startedAt: null,
						finishedAt: null,
					},
				},
			},
		],
	},
};

describe("a pod as the cluster writes it", () => {
	it("is understood when the times of its container are null, because nobody knows them", () => {
		const pod = podObject(endedBeforeItBegan);
		expect(pod?.status.containerStatuses?.[0]?.state?.terminated).to.deep.equal({
			exitCode: 137,
			reason: "ContainerStatusUnknown",
			message: "The container could not be located when the pod was terminated",
		});
		expect(pod && clusterPod(pod, circumstances())).to.deep.include({
			state: "gone",
			failure: { code: "NODE_DRAINED", message: "The machine of the session is being emptied: Eviction API: evicting" },
		});
	});

	it("has only the members that are read", () => {
		const { metadata, spec } = podObject(endedBeforeItBegan) ?? {};
		expect(metadata).to.have.all.keys(
			"name",
			"uid",
			"resourceVersion",
			"labels",
			"annotations",
			"deletionTimestamp",
			"finalizers",
		);
		expect(spec).to.have.all.keys("nodeName", "serviceAccountName");
	});

	it("has as little of a pod that somebody has filled, and no labels and annotations of others", () => {
		const { metadata, spec, status } = endedBeforeItBegan;
		const many = <T>(make: (index: number) => T): T[] => Array.from({ length: 5_000 }, (_each, index) => make(index));
		const pod = podObject({
			spec,
			metadata: {
				...metadata,
				labels: { ...metadata.labels, ...Object.fromEntries(many((index) => [`l${index}`, "x"])) },
				annotations: {
					filling: "x".repeat(250_000),
					[annotation.status]: "y".repeat(16_384),
					[annotation.proof]: "proof",
				},
				finalizers: ["atelier.dev/records", ...many((index) => `example.org/${index}`)],
			},
			status: {
				...status,
				message: "m".repeat(1_000_000),
				conditions: many((index) => ({ type: `T${index}`, status: "True", message: "m".repeat(5_000) })),
				containerStatuses: many((index) => ({
					name: `c${index}`,
					state: { terminated: { exitCode: 1, message: "\u001b".repeat(4_096) } },
				})),
			},
		});
		expect(pod?.metadata.labels).to.deep.equal(metadata.labels);
		expect(pod?.metadata.annotations).to.deep.equal({
			[annotation.status]: "y".repeat(16_384),
			[annotation.proof]: "proof",
		});
		expect(pod?.metadata.finalizers?.[0]).to.equal("atelier.dev/records");
		expect(JSON.stringify(pod).length).to.be.below(1_200_000);
		const tooLong = { ...metadata, annotations: { [annotation.status]: "y".repeat(16_385) } };
		expect(podObject({ metadata: tooLong, spec, status })?.metadata.annotations).to.deep.equal({});
	});

	it("is nothing without the shape of a pod", () => {
		for (const value of [undefined, null, "pod", {}, { metadata: { name: "x" }, spec: {}, status: {} }])
			expect(podObject(value), JSON.stringify(value)).to.equal(undefined);
	});
});
