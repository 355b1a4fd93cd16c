import { expect } from "chai";
import { clusterPod } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-state.ts";
import {
	circumstances,
	ended,
	podShown,
	running,
	sessionId,
	waitingFor,
} from "../../../../../../support/kubernetes/pods/pod-objects.ts";

type Shown = Parameters<typeof podShown>[0];

describe("the state of a pod in a cluster", () => {
	const disrupted = (reason: string, status = running) => ({
		...status,
		conditions: [
			{ type: "DisruptionTarget", status: "True", reason },
			{ type: "Ready", status: "False" },
		],
	});
	const endedContainer = { ...ended({ exitCode: 1 }), phase: "Running" };
	const states: readonly (readonly [string, Shown, string])[] = [
		["has not reported", {}, "launching"],
		["clones", { told: { phase: "cloning" } }, "launching"],
		["is ready", { told: {} }, "ready"],
		["is ready, and its container has not been seen running", { told: {}, status: { phase: "Pending" } }, "launching"],
		["has failed by its own word", { told: { phase: "failed" } }, "failed"],
		["is being deleted", { told: {}, isEnding: true }, "leaving"],
		["was deleted before a machine was chosen", { isEnding: true, node: "" }, "gone"],
		["has ended in order", { told: {}, status: { phase: "Succeeded" } }, "gone"],
		["has ended with an error", { told: {}, status: ended({ exitCode: 1 }) }, "gone"],
		["has an image whose name is none", { status: waitingFor("InvalidImageName") }, "failed"],
		["waits for an image", { status: waitingFor("ImagePullBackOff", "connection refused") }, "launching"],
		[
			"is on a machine that is lost",
			{ told: {}, isEnding: true, status: disrupted("DeletionByTaintManager") },
			"failed",
		],
		[
			"has a taint that was taken back",
			{
				told: {},
				isEnding: true,
				status: {
					...running,
					conditions: [
						{ type: "DisruptionTarget", status: "False", reason: "DeletionByTaintManager" },
						{ type: "Ready", status: "False" },
					],
				},
			},
			"leaving",
		],
		["was deleted while its image came", { isEnding: true, status: waitingFor("ContainerCreating") }, "leaving"],
		["has ended, and its finalizer keeps it", { isEnding: true, status: ended({ exitCode: 0 }) }, "gone"],
		["has no container yet", { status: { phase: "Pending" } }, "launching"],
		["has no status at all", { status: {} }, "launching"],
		["initializes for ever", { status: waitingFor("PodInitializing") }, "launching"],
		["has an unknown phase", { told: {}, status: { ...running, phase: "Unknown" } }, "ready"],
		["has a container that ended while the pod goes on", { told: {}, status: endedContainer }, "failed"],
		["is evicted", { told: {}, isEnding: true, status: disrupted("EvictionByEvictionAPI") }, "leaving"],
	];
	for (const [words, shown, state] of states)
		it(`is ${state} when it ${words}`, () => {
			expect(clusterPod(podShown(shown), circumstances())?.state).to.equal(state);
		});

	it("has what its agent has reported, and the address of the pod", () => {
		const told = { timings: { spawned: "2026-11-27T19:59:01.000Z" }, agent_title: "Shell", host: "evil", port: 1 };
		expect(clusterPod(podShown({ told }), circumstances())).to.deep.equal({
			name: `session-${sessionId}-g1`,
			sessionId,
			generation: 1,
			state: "ready",
			timings: told.timings,
			agent_title: "Shell",
			address: "http://10.244.0.9:7433",
		});
	});

	it("is no pod of a session without its labels", () => {
		const { metadata, ...rest } = podShown();
		expect(clusterPod({ ...rest, metadata: { ...metadata, labels: {} } }, circumstances())).to.equal(undefined);
	});

	it("warns of a silent machine while the session goes on", () => {
		const status = { ...running, conditions: [{ type: "Ready", status: "False" }] };
		const pod = clusterPod(podShown({ told: { warnings: ["own"] }, status }), circumstances());
		expect(pod?.state).to.equal("ready");
		expect(pod?.warnings).to.deep.equal(["own", 'The machine "n7" of the session does not answer the cluster']);
	});

	it("holds its workspace while it cannot end, because its machine does not answer", () => {
		const status = { ...running, conditions: [{ type: "Ready", status: "False" }] };
		const pod = clusterPod(podShown({ told: {}, isEnding: true, status }), circumstances());
		expect(pod).to.deep.include({ state: "leaving" });
		expect(pod?.waiting?.code).to.equal("WORKSPACE_HELD");
		expect(pod?.waiting?.message).to.contain('The machine "n7" of the session does not answer the cluster');
		expect(clusterPod(podShown({ told: {}, isEnding: true }), circumstances())).to.not.have.property("waiting");
	});

	it("is understood whatever word somebody has written for a reason", () => {
		for (const reason of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
			const message = "words";
			const conditions = [{ type: "DisruptionTarget", status: "True", reason, message }];
			const states = [{ waiting: { reason, message } }, { terminated: { exitCode: 1, reason, message } }];
			for (const state of states)
				for (const phase of ["Pending", "Running", "Failed"]) {
					const status = { phase, reason, message, conditions, containerStatuses: [{ name: "session", state }] };
					const events = [{ reason, message }];
					for (const told of [{}, { phase: "failed" as const }])
						expect(clusterPod(podShown({ status, told }), circumstances(600_000, events))?.state).to.be.a("string");
				}
		}
	});
});
