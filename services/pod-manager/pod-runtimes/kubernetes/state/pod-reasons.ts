/**
 * Explains why a pod of the cluster does not go on, why it never will, and why it has ended, with the cluster's own words. Pure.
 */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import { failureIn } from "#shared/wire/pod/termination-message.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { podFailure } from "../../../pod-refused.ts";
import { lackingImage } from "../../machine/lacking-image.ts";
import type { Circumstances, ClusterEvent } from "./circumstances.ts";
import { annotation } from "../objects/cluster-names.ts";
import { deliveryContainer } from "../objects/delivered-agent.ts";
import { sessionContainer } from "../objects/pod-manifest.ts";
import { conditionOf, type ContainerEnd, type ContainerStatus, type PodObject } from "../objects/pod-object.ts";
import { pullingReason } from "./pulled-images.ts";

/** The times, in milliseconds, after which an image cannot be had, a volume is late, and an agent is cut off. */
const [deniedMs, lateMs, silentMs] = [60_000, 30_000, 20_000];

/** The words of registries for an image that will not come by waiting. */
const isDenied = /not found|manifest unknown|denied|unauthorized|authorization failed|forbidden|does not exist/i;
/** The scheduler's words for a volume that another pod has. */
const isHeld = /ReadWriteOncePod|Multi-Attach|already (exclusively )?attached|in use by/i;
const isUnbound =
	/unbound immediate PersistentVolumeClaims|persistentvolumeclaim .* (not found|is being deleted)|didn't find available persistent volumes/i;

/** The codes of the reasons for which a kubelet keeps a container waiting. */
const ofWaiting: Readonly<Record<string, FailureCode>> = {
	ErrImagePull: "IMAGE_PULL_FAILED",
	ImagePullBackOff: "IMAGE_PULL_FAILED",
	RegistryUnavailable: "IMAGE_PULL_FAILED",
	SignatureValidationFailed: "IMAGE_PULL_FAILED",
	InvalidImageName: "IMAGE_INVALID",
	ErrImageNeverPull: "IMAGE_INVALID",
	ImageInspectError: "IMAGE_INVALID",
	CreateContainerConfigError: "CONTAINER_FAILED",
	CreateContainerError: "CONTAINER_FAILED",
	RunContainerError: "CONTAINER_FAILED",
	PostStartHookError: "CONTAINER_FAILED",
};
const mountEvents = new Set(["FailedMount", "FailedAttachVolume", "FailedMapVolume"]);

/** Returns the reason for which a pod that lives is not ready; undefined when there is nothing to say. */
export function waitingReason(object: PodObject, circumstances: Circumstances): PodFailure | undefined {
	return (
		unscheduled(object, circumstances) ??
		unstarted(object) ??
		unmounted(object, circumstances) ??
		(hasStarted(object) ? undefined : pullingReason(circumstances.eventsOf(object.metadata.uid))) ??
		cutOff(object, circumstances)
	);
}

/** Returns the reason for which a pod that lives can never be ready; undefined when waiting may help. */
export function hopelessReason(object: PodObject, circumstances: Circumstances): PodFailure | undefined {
	const reason = unstarted(object) ?? unscheduled(object, circumstances);
	if (!reason) return undefined;
	const { uid } = object.metadata;
	if (reason.code === "IMAGE_INVALID" || reason.code === "CONTAINER_FAILED") return reason;
	const isRefused = reason.code === "IMAGE_PULL_FAILED" && isDenied.test(reason.message);
	if (isRefused && circumstances.seenFor(uid, "image") > deniedMs) return reason;
	const noClass = circumstances.eventsOf(uid).find(isUnknownClass);
	return noClass && reason.code === "WORKSPACE_PENDING" ? reason : undefined;
}

function isUnknownClass({ reason, message }: ClusterEvent): boolean {
	return reason === "ProvisioningFailed" && /storageclass.* not found/i.test(message);
}

function unscheduled(object: PodObject, { eventsOf }: Circumstances): PodFailure | undefined {
	const scheduled = conditionOf(object, "PodScheduled");
	if (scheduled?.status !== "False") return undefined;
	const { reason, message = "" } = scheduled;
	if (reason === "SchedulingGated") return podFailure("QUEUED");
	if (isHeld.test(message)) return podFailure("WORKSPACE_HELD", message);
	const provisioning = eventsOf(object.metadata.uid).find((event) => event.reason === "ProvisioningFailed");
	if (provisioning) return podFailure("WORKSPACE_PENDING", provisioning.message);
	return isUnbound.test(message) ? podFailure("WORKSPACE_PENDING", message) : podFailure("UNSCHEDULABLE", message);
}

function unstarted({ status }: PodObject): PodFailure | undefined {
	const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
	for (const { state } of containers) {
		const { reason = "", message } = state?.waiting ?? {};
		const code = ofWaiting[reason];
		if (code !== undefined) return podFailure(code, message ?? reason);
	}
	return undefined;
}

function unmounted(object: PodObject, { seenFor, eventsOf }: Circumstances): PodFailure | undefined {
	if (conditionOf(object, "PodScheduled")?.status !== "True" || hasStarted(object)) return undefined;
	const mount = eventsOf(object.metadata.uid).find(({ reason }) => mountEvents.has(reason));
	if (!mount || seenFor(object.metadata.uid, "mount") < lateMs) return undefined;
	return podFailure(isHeld.test(mount.message) ? "WORKSPACE_HELD" : "VOLUME_MOUNT_FAILED", mount.message);
}

/** The session's container runs, and its agent has not reported. */
function cutOff(object: PodObject, { seenFor }: Circumstances): PodFailure | undefined {
	const { uid, annotations } = object.metadata;
	if (!hasStarted(object) || annotations?.[annotation.status] !== undefined) return undefined;
	return seenFor(uid, "silent") > silentMs ? podFailure("POD_CANNOT_REACH_PLATFORM") : undefined;
}

function hasStarted({ status }: PodObject): boolean {
	return sessionOf(status.containerStatuses)?.state?.running !== undefined;
}

function sessionOf(statuses: readonly ContainerStatus[] = []): ContainerStatus | undefined {
	return statuses.find(({ name }) => name === sessionContainer);
}

/** Returns a sentence about the machine of a pod that does not answer; undefined when it does. */
export function silentNode(object: PodObject): string | undefined {
	const ready = conditionOf(object, "Ready");
	if (ready?.status !== "False" || ready.reason !== undefined || !hasStarted(object)) return undefined;
	return `The machine "${object.spec.nodeName ?? ""}" of the session does not answer the cluster`;
}

/** The codes of disruptions (Kubernetes, "Pod disruption conditions"). */
const ofDisruptions: Readonly<Record<string, FailureCode>> = {
	EvictionByEvictionAPI: "NODE_DRAINED",
	PreemptionByScheduler: "PREEMPTED",
	DeletionByTaintManager: "NODE_LOST",
	DeletionByPodGC: "NODE_LOST",
	TerminationByKubelet: "NODE_SHUTDOWN",
};

/** The codes of the pod's own `status.reason`, which a kubelet sets. */
const ofPods: Readonly<Record<string, FailureCode>> = {
	Evicted: "EVICTED",
	DeadlineExceeded: "TIME_LIMIT",
	NodeLost: "NODE_LOST",
	NodeShutdown: "NODE_SHUTDOWN",
	Terminated: "NODE_SHUTDOWN",
	UnexpectedAdmissionError: "NODE_REFUSED",
	NodeAffinity: "NODE_REFUSED",
};

/** Returns why a pod has ended; undefined when nobody knows it. */
export function endReason(object: PodObject): PodFailure | undefined {
	return ownWords(object) ?? endedByCluster(object) ?? endedContainer(object);
}

/** The session agent's own failure survives in the pod, also when the platform was away. */
function ownWords({ status }: PodObject): PodFailure | undefined {
	return failureIn(sessionOf(status.containerStatuses)?.state?.terminated?.message ?? "");
}

function endedByCluster(object: PodObject): PodFailure | undefined {
	const { reason = "", message } = object.status;
	const disruption = conditionOf(object, "DisruptionTarget");
	const code = ofPods[reason] ?? (reason.startsWith("OutOf") ? "NODE_REFUSED" : undefined);
	if (code !== undefined) return podFailure(code, message);
	const disrupted = ofDisruptions[disruption?.reason ?? ""];
	return disrupted && podFailure(disrupted, disruption?.message);
}

function endedContainer(object: PodObject): PodFailure | undefined {
	const failed = failedDelivery(object) ?? failedSession(object);
	const isDeleted = object.metadata.deletionTimestamp !== undefined;
	return isDeleted
		? (failed ?? podFailure("POD_LOST", "its pod was deleted in the cluster"))
		: (failed ?? crashed(object));
}

function failedDelivery({ status: { initContainerStatuses = [] } }: PodObject): PodFailure | undefined {
	const ends = initContainerStatuses.map(({ state }) => state?.terminated);
	const failed = ends.find((end) => end && end.exitCode !== 0);
	if (!failed) return undefined;
	const words = `the session agent could not be brought into its image (${failed.exitCode}): ${lastWordsOf(failed)}`;
	return podFailure("CONTAINER_FAILED", words);
}

function failedSession({ status }: PodObject): PodFailure | undefined {
	const end = sessionOf(status.containerStatuses)?.state?.terminated;
	if (end?.reason === "OOMKilled") return podFailure("OUT_OF_MEMORY");
	return end && (lackingIn(status, end) ?? failedStart(end));
}

function failedStart(end: ContainerEnd): PodFailure | undefined {
	return startErrors.has(end.reason ?? "") ? podFailure("CONTAINER_FAILED", lastWordsOf(end)) : undefined;
}

function lackingIn(status: PodObject["status"], { exitCode, message = "" }: ContainerEnd): PodFailure | undefined {
	return isDelivered(status) ? lackingImage(exitCode, message) : undefined;
}

/** Whether the session's image is of somebody else, and has got the session agent. */
function isDelivered({ initContainerStatuses = [] }: PodObject["status"]): boolean {
	return initContainerStatuses.some(({ name }) => name === deliveryContainer);
}

function crashed({ status }: PodObject): PodFailure | undefined {
	const end = sessionOf(status.containerStatuses)?.state?.terminated;
	if (!end) return undefined;
	return { code: "AGENT_CRASHED", message: `The session agent ended (${end.exitCode}) before it could say why` };
}

const startErrors = new Set(["StartError", "ContainerCannotRun", "ContainerStatusUnknown"]);

function lastWordsOf({ exitCode, reason, message }: ContainerEnd): string {
	return message ?? reason ?? `exit code ${exitCode}`;
}
