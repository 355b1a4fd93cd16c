import { expect } from "chai";
import { clusterPod } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-state.ts";
import {
	circumstances,
	ended,
	podShown,
	running,
	sessionId,
	unscheduled,
	waitingFor,
} from "../../../../../../support/kubernetes/pod-objects.ts";

type Shown = Parameters<typeof podShown>[0];

describe("the state of a pod in a cluster", () => {
	const disrupted = (reason: string, status = running) => ({
		...status,
		conditions: [
			{ type: "DisruptionTarget", status: "True", reason },
			{ type: "Ready", status: "False" },
		],
	});
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

	const failures: readonly (readonly [string, Shown, string, string])[] = [
		[
			"by its own word",
			{ told: { phase: "failed", failure: { code: "CLONE_FAILED", message: "no" } } },
			"CLONE_FAILED",
			"no",
		],
		[
			"by the last word of its agent",
			{ status: ended({ exitCode: 1, message: '{"code":"SETUP_FAILED","message":"script"}' }) },
			"SETUP_FAILED",
			"script",
		],
		["for memory", { status: ended({ exitCode: 137, reason: "OOMKilled" }) }, "OUT_OF_MEMORY", "memory"],
		["with a code", { status: ended({ exitCode: 3 }) }, "AGENT_CRASHED", "(3)"],
		[
			"for a program that is not there",
			{ status: ended({ exitCode: 128, reason: "StartError", message: "no such file" }) },
			"CONTAINER_FAILED",
			"no such file",
		],
		[
			"short of disk",
			{ status: ended({ exitCode: 137 }, { reason: "Evicted", message: "low on ephemeral-storage" }) },
			"EVICTED",
			"low on ephemeral-storage",
		],
		[
			"after its time",
			{ status: ended({ exitCode: 137 }, { reason: "DeadlineExceeded" }) },
			"TIME_LIMIT",
			"as long as",
		],
		[
			"by a machine that did not take it",
			{ status: { phase: "Failed", reason: "OutOfcpu", message: "Pod was rejected" } },
			"NODE_REFUSED",
			"Pod was rejected",
		],
		[
			"with its machine emptied",
			{
				isEnding: true,
				status: ended(
					{ exitCode: 0 },
					{ conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }] },
				),
			},
			"NODE_DRAINED",
			"emptied",
		],
		[
			"for something more important",
			{
				isEnding: true,
				status: ended(
					{ exitCode: 0 },
					{ conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
				),
			},
			"PREEMPTED",
			"room",
		],
		[
			"by somebody else's hand",
			{ isEnding: true, status: ended({ exitCode: 0 }) },
			"POD_LOST",
			"deleted in the cluster",
		],
	];
	for (const [words, shown, code, message] of failures)
		it(`says ${code} when it has ended ${words}`, () => {
			const { failure } = clusterPod(podShown(shown), circumstances()) ?? {};
			expect(failure?.code).to.equal(code);
			expect(failure?.message).to.include(message);
		});

	const unbound = "pod has unbound immediate PersistentVolumeClaims";
	const noClass = { reason: "ProvisioningFailed", message: 'storageclass.storage.k8s.io "fast" not found' };
	const waits: readonly (readonly [string, Shown, string, Parameters<typeof circumstances>])[] = [
		["no machine has room", { status: unscheduled("Unschedulable", "0/3 nodes are available") }, "UNSCHEDULABLE", []],
		["a queue has it", { status: unscheduled("SchedulingGated") }, "QUEUED", []],
		[
			"another pod has the volume",
			{
				status: unscheduled(
					"Unschedulable",
					"node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
				),
			},
			"WORKSPACE_HELD",
			[],
		],
		["the volume is not there", { status: unscheduled("Unschedulable", unbound) }, "WORKSPACE_PENDING", []],
		["the image comes slowly", { status: waitingFor("ErrImagePull", "timeout") }, "IMAGE_PULL_FAILED", []],
		[
			"the volume cannot be mounted",
			{ status: waitingFor("ContainerCreating") },
			"VOLUME_MOUNT_FAILED",
			[31_000, [{ reason: "FailedMount", message: "permission denied" }]],
		],
		["its agent reaches nothing", {}, "POD_CANNOT_REACH_PLATFORM", [21_000]],
	];
	for (const [words, shown, code, seen] of waits)
		it(`waits with ${code} while ${words}`, () => {
			const pod = clusterPod(podShown(shown), circumstances(...seen));
			expect(pod?.state).to.equal("launching");
			expect(pod?.waiting?.code).to.equal(code);
		});

	it("gives up an image that a registry does not have after a minute, and a storage class that does not exist at once", () => {
		const image = podShown({ status: waitingFor("ErrImagePull", "manifest unknown") });
		expect(clusterPod(image, circumstances(59_000))).to.have.property("state", "launching");
		expect(clusterPod(image, circumstances(61_000))).to.have.property("state", "failed");
		const volume = podShown({ status: unscheduled("Unschedulable", unbound) });
		expect(clusterPod(volume, circumstances(0, [noClass]))).to.have.nested.property(
			"failure.code",
			"WORKSPACE_PENDING",
		);
	});

	it("warns of a silent machine while the session goes on", () => {
		const status = { ...running, conditions: [{ type: "Ready", status: "False" }] };
		const pod = clusterPod(podShown({ told: { warnings: ["own"] }, status }), circumstances());
		expect(pod?.state).to.equal("ready");
		expect(pod?.warnings).to.deep.equal(["own", 'The machine "n7" of the session does not answer the cluster']);
	});
});
