/** Pods that the cluster has ended, as Kubernetes 1.30 to 1.36 show them. */
import { ended } from "../pods/pod-objects.ts";
import { disrupted, disruption, type EndedPod, orderly, type Status } from "./ended-pod.ts";

/** A kubelet has refused the pod before anything of it ran. */
function rejected(reason: string, why: string): Pick<EndedPod, "status" | "words"> {
	const message = `Pod was rejected: ${why}`;
	return { status: { phase: "Failed", reason, message }, words: message };
}

/** A kubelet has ended the pod, and says why with the pod. */
function endedByKubelet(
	reason: string,
	message: string,
	more: Partial<Status> = {},
): Pick<EndedPod, "status" | "words"> {
	return { status: ended({ exitCode: 137, reason: "Error" }, { reason, message, ...more }), words: message.trim() };
}

const lowDisk =
	"The node was low on resource: ephemeral-storage. Threshold quantity: 7Gi, available: 6Gi. Container session was using 9Gi, request is 256Mi, has larger consumption of ephemeral-storage. ";
const overHome = 'Usage of EmptyDir volume "home" exceeds the limit "4Gi". ';
const overLayer = 'Container session exceeded its local ephemeral storage limit "10Gi". ';
const overAll = "Pod ephemeral local storage usage exceeds the total limit of containers 10Gi. ";
const ownLimit = (words: string): string =>
	`The session used more disk than its pod may have, and was ended: ${words.trim()}`;
const byKubelet = (message: string): Partial<Status> => disruption("TerminationByKubelet", message);

const machines: readonly EndedPod[] = [
	{
		seen: "a machine short of disk",
		code: "EVICTED",
		...endedByKubelet("Evicted", lowDisk, byKubelet(lowDisk)),
	},
	{
		seen: "a machine short of memory",
		code: "EVICTED",
		...endedByKubelet("Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. "),
	},
	...[overHome, overLayer, overAll].map((words) => ({
		seen: `its own limit: ${words}`,
		code: "EVICTED" as const,
		...endedByKubelet("Evicted", words, byKubelet(words)),
		sentence: ownLimit(words),
	})),
	{
		seen: "its time",
		code: "TIME_LIMIT",
		...endedByKubelet("DeadlineExceeded", "Pod was active on the node longer than the specified deadline"),
	},
	{
		seen: "the shutdown of its machine",
		code: "NODE_SHUTDOWN",
		...endedByKubelet(
			"Terminated",
			"Pod was terminated in response to imminent node shutdown.",
			byKubelet("Pod was terminated in response to imminent node shutdown."),
		),
	},
	{
		seen: "a pod of the machine itself",
		code: "PREEMPTED",
		...endedByKubelet(
			"Preempting",
			"Preempted in order to admit critical pod",
			byKubelet("Pod was preempted by Kubelet to accommodate a critical pod."),
		),
	},
	{
		seen: "a machine that an old controller calls lost",
		code: "NODE_LOST",
		...endedByKubelet("NodeLost", "Node n7 which was running pod session-1-g1 is unresponsive"),
	},
	{
		seen: "a machine that was started again",
		code: "NODE_SHUTDOWN",
		status: ended({ exitCode: 255, reason: "Unknown" }),
	},
	{
		seen: "a machine that has forgotten its container",
		code: "NODE_SHUTDOWN",
		status: ended({
			exitCode: 137,
			reason: "ContainerStatusUnknown",
			message: "The container could not be located when the pod was terminated",
		}),
		words: "The container could not be located when the pod was terminated",
	},
];

const refusals: readonly EndedPod[] = [
	{
		seen: "a machine without processors",
		code: "NODE_REFUSED",
		...rejected("OutOfcpu", "Node didn't have enough resource: cpu, requested: 500, used: 3900, capacity: 4000"),
	},
	{
		seen: "a machine without the GPU",
		code: "NODE_REFUSED",
		...rejected(
			"OutOfnvidia.com/gpu",
			"Node didn't have enough resource: nvidia.com/gpu, requested: 1, used: 1, capacity: 1",
		),
	},
	{
		seen: "a machine whose plugin of devices has failed",
		code: "NODE_REFUSED",
		...rejected(
			"UnexpectedAdmissionError",
			"Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected",
		),
	},
	{
		seen: "a machine with other labels by now",
		code: "NODE_REFUSED",
		...rejected("NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"),
	},
	{
		seen: "a machine that was short of disk before the pod came",
		code: "NODE_REFUSED",
		...rejected("Evicted", "The node had condition: [DiskPressure]. "),
		words: "Pod was rejected: The node had condition: [DiskPressure].",
	},
	{
		seen: "a machine for a reason of another version",
		code: "NODE_REFUSED",
		...rejected("PodLevelResourcesNotSupported", "The kubelet does not support pod-level resources"),
	},
	{
		seen: "a machine that is shutting down",
		code: "NODE_SHUTDOWN",
		...rejected("NodeShutdown", "Pod was rejected as the node is shutting down."),
	},
];

const disruptions: readonly EndedPod[] = [
	{ seen: "a drain", code: "NODE_DRAINED", ...disrupted("EvictionByEvictionAPI", "Eviction API: evicting") },
	{
		seen: "a pod with a higher priority",
		code: "PREEMPTED",
		...disrupted("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod"),
	},
	{
		seen: "a taint, while its machine answers",
		code: "NODE_DRAINED",
		...disrupted("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"),
	},
	{
		seen: "a taint, and nobody has seen its end",
		code: "NODE_LOST",
		isEnding: true,
		status: ended(
			{ exitCode: 137, reason: "ContainerStatusUnknown" },
			disruption("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"),
		),
		words: "Taint manager: deleting due to NoExecute taint",
	},
	{
		seen: "the removal of its machine",
		code: "NODE_LOST",
		isEnding: true,
		status: { phase: "Failed", ...disruption("DeletionByPodGC", "PodGC: node no longer exists") },
		words: "PodGC: node no longer exists",
	},
	{
		seen: "a disruption of another version",
		code: "POD_LOST",
		...disrupted("DeletionByDeviceTaintManager", "Device Taint manager: deleting due to NoExecute taint"),
	},
	{
		seen: "a drain that was called off, and a person's hand later",
		code: "POD_LOST",
		isEnding: true,
		status: ended(orderly, {
			conditions: [{ type: "DisruptionTarget", status: "False", reason: "EvictionByEvictionAPI", message: "evicting" }],
		}),
		words: "its pod was deleted in the cluster",
	},
	{
		seen: "a person's hand",
		code: "POD_LOST",
		isEnding: true,
		status: ended(orderly),
		words: "its pod was deleted in the cluster",
	},
];

export const endedByCluster: readonly EndedPod[] = [...machines, ...refusals, ...disruptions];
