/** Explains why a pod of the cluster does not go on, and why it never will, with the cluster's own words. Pure. */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";
import type { Circumstances, ClusterEvent } from "./circumstances.ts";
import { codeIn, type CodeTable, inClusterWords } from "./cluster-words.ts";
import { annotation } from "../objects/cluster-names.ts";
import { sessionContainer } from "../objects/pod-manifest.ts";
import { conditionOf, containerOf, type PodCondition, type PodObject } from "../objects/pod-object.ts";
import { pullingReason } from "./pulled-images.ts";

/** The times, in milliseconds, after which an image cannot be had, a pod is late, an agent is cut off, and a volume is late. */
const [deniedMs, lateMs, silentMs, unboundMs] = [60_000, 30_000, 20_000, 10_000];

/** The words of registries and kubelets for an image that will not come by waiting. */
const isDenied =
	/not found|manifest unknown|denied|unauthorized|authorization failed|forbidden|does not exist|is not present with pull policy of Never|signature validation failed/i;
/** The words of an engine that was too busy to make a container, or of a kubelet that has not read all yet: it tries again. */
const isPassing =
	/timed out|deadline exceeded|not yet been read|failed to sync|connection refused|unavailable|failed to reserve/i;
/** The words of the scheduler, of the controller of volumes and of the kubelet for a volume that another pod has. */
const isHeld =
	/ReadWriteOncePod access mode|Multi-Attach|VolumeInUse|already (exclusively )?(attached|(being )?used by)|in use by/i;
/** The scheduler's words for a volume that is not there. */
const isUnbound =
	/unbound immediate PersistentVolumeClaims|persistentvolumeclaim .*(not found|is being deleted)|didn't find available persistent volumes|non-existent (persistentvolume|pv)|binding volumes: /i;

/** Those of them that every new volume gets. People would go on reading them when the words of the provisioner are there. */
const isNew = /unbound immediate PersistentVolumeClaims/;

/** The codes of the reasons for which a kubelet keeps a container waiting. */
const ofWaiting: CodeTable = {
	ErrImagePull: "IMAGE_PULL_FAILED",
	ImagePullBackOff: "IMAGE_PULL_FAILED",
	ErrImageNeverPull: "IMAGE_PULL_FAILED",
	ImageInspectError: "IMAGE_PULL_FAILED",
	RegistryUnavailable: "IMAGE_PULL_FAILED",
	SignatureValidationFailed: "IMAGE_PULL_FAILED",
	InvalidImageName: "IMAGE_INVALID",
	CreateContainerConfigError: "CONTAINER_FAILED",
	PreCreateHookError: "CONTAINER_FAILED",
	CreateContainerError: "CONTAINER_FAILED",
	PreStartHookError: "CONTAINER_FAILED",
	RunContainerError: "CONTAINER_FAILED",
	PostStartHookError: "CONTAINER_FAILED",
};
/** The events of kubelets and controllers that cannot prepare a pod, and those of pods that get on. */
const ofEvents: CodeTable = {
	FailedMount: "VOLUME_MOUNT_FAILED",
	FailedAttachVolume: "VOLUME_MOUNT_FAILED",
	FailedMapVolume: "VOLUME_MOUNT_FAILED",
	FailedCreatePodSandBox: "CONTAINER_FAILED",
	NetworkNotReady: "CONTAINER_FAILED",
};
const progress = new Set(["Pulling", "Pulled", "Created", "Started"]);
/** The events of a claim whose volume is not there yet, and those of one that has it. */
const claimTroubles = new Set(["ProvisioningFailed", "FailedBinding", "ClaimLost", "ExternalProvisioning"]);
const claimProgress = new Set(["ProvisioningSucceeded"]);

/** Returns the reason for which a pod that lives is not ready; undefined when there is nothing to say. */
export function waitingReason(object: PodObject, circumstances: Circumstances): PodFailure | undefined {
	return (
		unscheduled(object, circumstances) ??
		unstarted(object, circumstances) ??
		unprepared(object, circumstances) ??
		(hasStarted(object) ? undefined : pullingReason(circumstances.eventsOf(object.metadata.uid))) ??
		cutOff(object, circumstances)
	);
}

/** Returns the reason for which a pod that lives can never be ready; undefined when waiting may help. */
export function hopelessReason(object: PodObject, circumstances: Circumstances): PodFailure | undefined {
	const reason = unstarted(object, circumstances) ?? unscheduled(object, circumstances);
	return reason && hopes[reason.code]?.(withoutQuotes(reason.message), object, circumstances) === false
		? reason
		: undefined;
}

/** Says whether waiting may help. The words have no names in them, which a user can choose. */
type Hope = (words: string, object: PodObject, circumstances: Circumstances) => boolean;

/** A code without a row always has hope. */
const hopes: Readonly<Record<string, Hope | undefined>> = {
	IMAGE_INVALID: () => false,
	CONTAINER_FAILED: (words) => isPassing.test(words),
	IMAGE_PULL_FAILED: (words, { metadata }, { seenFor }) =>
		!isDenied.test(words) || seenFor(metadata.uid, "image") <= deniedMs,
	WORKSPACE_PENDING: (_words, object, circumstances) => !isUnknownClass(claimTrouble(object, circumstances)),
};

function withoutQuotes(words: string): string {
	return words.replaceAll(/"[^"]*"/g, '""');
}

function isUnknownClass(event: ClusterEvent | undefined): boolean {
	return event?.reason === "ProvisioningFailed" && /storageclass.* not found/i.test(event.message);
}

function unscheduled(object: PodObject, circumstances: Circumstances): PodFailure | undefined {
	const scheduled = conditionOf(object, "PodScheduled");
	if (scheduled) return scheduled.status === "False" ? ofScheduler(scheduled, object, circumstances) : undefined;
	// The scheduler says nothing while it waits for a volume that is made for the machine which it has chosen.
	const trouble = object.spec.nodeName === undefined ? claimTrouble(object, circumstances) : undefined;
	return trouble && inClusterWords("WORKSPACE_PENDING", trouble.message);
}

function ofScheduler(
	{ reason, message = "" }: PodCondition,
	object: PodObject,
	circumstances: Circumstances,
): PodFailure | undefined {
	if (reason === "SchedulingGated") return inClusterWords("QUEUED");
	if (isHeld.test(message)) return inClusterWords("WORKSPACE_HELD", message);
	if (!isUnbound.test(message)) return inClusterWords("UNSCHEDULABLE", message);
	const trouble = claimTrouble(object, circumstances);
	const isEarly = isNew.test(message) && circumstances.seenFor(object.metadata.uid, "unbound") < unboundMs;
	return trouble || !isEarly ? inClusterWords("WORKSPACE_PENDING", trouble?.message ?? message) : undefined;
}

/** Returns the newest event of the volume claim, if it is not one of a volume that is there. */
function claimTrouble({ metadata }: PodObject, { eventsOf }: Circumstances): ClusterEvent | undefined {
	const events = eventsOf(metadata.uid);
	const newest = events.find(({ reason }) => claimTroubles.has(reason) || claimProgress.has(reason));
	return newest && claimTroubles.has(newest.reason) ? newest : undefined;
}

function unstarted(object: PodObject, circumstances: Circumstances): PodFailure | undefined {
	const { initContainerStatuses = [], containerStatuses = [] } = object.status;
	for (const { state } of [...initContainerStatuses, ...containerStatuses]) {
		const { reason = "", message = reason } = state?.waiting ?? {};
		const code = codeIn(ofWaiting, reason);
		if (code !== undefined) return inClusterWords(code, wordsOfPull(message, object, circumstances));
	}
	return undefined;
}

/** A kubelet before 1.32 says why an image cannot be had in an event only, while it makes a pause. */
function wordsOfPull(message: string, { metadata }: PodObject, { eventsOf }: Circumstances): string {
	if (!/^Back-off pulling image "[^"]*"$/.test(message)) return message;
	const isFailure = ({ reason, message: words }: ClusterEvent) =>
		reason === "Failed" && words.startsWith("Failed to pull image");
	return eventsOf(metadata.uid).find(isFailure)?.message ?? message;
}

/** A machine was chosen, and it cannot give the pod its volumes or its network. */
function unprepared(object: PodObject, { seenFor, eventsOf }: Circumstances): PodFailure | undefined {
	const { uid } = object.metadata;
	if (conditionOf(object, "PodScheduled")?.status !== "True" || hasStarted(object)) return undefined;
	const newest = eventsOf(uid).find(({ reason }) => codeIn(ofEvents, reason) !== undefined || progress.has(reason));
	const code = newest && codeIn(ofEvents, newest.reason);
	return code && seenFor(uid, "unprepared") >= lateMs ? ofPreparation(code, newest.message) : undefined;
}

function ofPreparation(code: FailureCode, words: string): PodFailure {
	const isVolumeHeld = code === "VOLUME_MOUNT_FAILED" && isHeld.test(words);
	return inClusterWords(isVolumeHeld ? "WORKSPACE_HELD" : code, words);
}

/** The session's container runs, and its agent has not reported. */
function cutOff(object: PodObject, { seenFor }: Circumstances): PodFailure | undefined {
	const { uid, annotations } = object.metadata;
	if (!hasStarted(object) || annotations?.[annotation.status] !== undefined) return undefined;
	return seenFor(uid, "silent") > silentMs ? inClusterWords("POD_CANNOT_REACH_PLATFORM") : undefined;
}

function hasStarted(object: PodObject): boolean {
	return containerOf(object, sessionContainer)?.state?.running !== undefined;
}

/** Returns the reason for which a pod that is to end stays, and holds its workspace; undefined when its machine answers. */
export function heldReason(object: PodObject): PodFailure | undefined {
	const sentence = silentNode(object);
	return sentence === undefined ? undefined : inClusterWords("WORKSPACE_HELD", sentence);
}

/** Returns a sentence about the machine of a pod that does not answer; undefined when it does. */
export function silentNode(object: PodObject): string | undefined {
	const ready = conditionOf(object, "Ready");
	if (ready?.status !== "False" || ready.reason !== undefined || !hasStarted(object)) return undefined;
	return `The machine "${object.spec.nodeName ?? ""}" of the session does not answer the cluster`;
}
