/** Explains why a pod of the cluster has ended. The cluster's own words come first, because a session can write what its agent says. Pure. */
import { failureIn } from "#shared/wire/pod/termination-message.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { lackingImage, unrunnable } from "../../launches/lacking-image.ts";
import { annotation } from "../objects/cluster-names.ts";
import { deliveryContainer } from "../objects/delivered-agent.ts";
import { sessionContainer } from "../objects/pod-manifest.ts";
import { type ContainerEnd, containerOf, disruptionOf, type PodObject } from "../objects/pod-object.ts";
import { agentFailure } from "./agent-failure.ts";
import { codeIn, type CodeTable, inClusterWords, wordsOf } from "./cluster-words.ts";

/** The codes of disruptions (Kubernetes, "Pod disruption conditions"). */
const ofDisruptions: CodeTable = {
	EvictionByEvictionAPI: "NODE_DRAINED",
	PreemptionByScheduler: "PREEMPTED",
	DeletionByTaintManager: "NODE_LOST",
	DeletionByPodGC: "NODE_LOST",
	TerminationByKubelet: "NODE_SHUTDOWN",
};

/** The codes of the pod's own `status.reason`, which a kubelet sets. */
const ofPods: CodeTable = {
	DeadlineExceeded: "TIME_LIMIT",
	NodeLost: "NODE_LOST",
	NodeShutdown: "NODE_SHUTDOWN",
	Terminated: "NODE_SHUTDOWN",
	Preempting: "PREEMPTED",
	UnexpectedAdmissionError: "NODE_REFUSED",
	NodeAffinity: "NODE_REFUSED",
};
/** The kubelet's words for a pod that it did not let begin. */
const isRejected = /^Pod was rejected: /;
/** The kubelet's words for a pod that has used more than its own limits, although its machine has enough. */
const isOverLimit = /exceeds the limit|exceeded its local ephemeral storage limit|exceeds the total limit/;

/** The reasons of containers that could not begin, and of those whose end nobody has seen. */
const startErrors = new Set(["StartError", "ContainerCannotRun"]);
const unseenEnds = new Set(["ContainerStatusUnknown", "Unknown"]);
/** The exit code of a process that was killed (128 + SIGKILL). */
const killed = 137;
/** The exit code of an agent that got no launch document (agent/main.ts). */
const noLaunch = 65;
/** The most characters that are shown of the last lines of an agent's log. */
const maxLastLines = 400;
/** The time after which an agent without an answer counts as cut off, in milliseconds. */
const silentMs = 20_000;

/** Returns why a pod has ended; undefined when nobody knows it. @param reported The failure that its agent has reported. */
export function endReason(object: PodObject, reported?: PodFailure): PodFailure | undefined {
	return endedByCluster(object) ?? outOfMemory(object) ?? reported ?? ownWords(object) ?? endedContainer(object);
}

function endedByCluster(object: PodObject): PodFailure | undefined {
	const { reason, message } = object.status;
	return reason === undefined ? disrupted(object) : (ofReason(reason, message) ?? disrupted(object));
}

function ofReason(reason: string, message = ""): PodFailure | undefined {
	const code = codeIn(ofPods, reason);
	if (code !== undefined) return inClusterWords(code, message);
	if (reason.startsWith("OutOf") || isRejected.test(message)) return inClusterWords("NODE_REFUSED", message);
	return reason === "Evicted" ? evicted(message) : undefined;
}

function evicted(message: string): PodFailure {
	if (!isOverLimit.test(message)) return inClusterWords("EVICTED", message);
	return {
		code: "EVICTED",
		message: `The session used more disk than its pod may have, and was ended: ${wordsOf(message)}`,
	};
}

function disrupted(object: PodObject): PodFailure | undefined {
	const disruption = disruptionOf(object);
	const code = codeIn(ofDisruptions, disruption?.reason ?? "");
	if (code === undefined) return undefined;
	// A machine that has ended the container has answered: a taint of another kind empties it.
	const isEmptied = disruption?.reason === "DeletionByTaintManager" && isEndSeen(object);
	return inClusterWords(isEmptied ? "NODE_DRAINED" : code, disruption?.message);
}

/** A runtime of containers also says so when only a command of the session was killed. */
function outOfMemory(object: PodObject): PodFailure | undefined {
	const end = endOf(object);
	return end?.reason === "OOMKilled" && end.exitCode === killed ? inClusterWords("OUT_OF_MEMORY") : undefined;
}

/** The session agent's own failure survives in the pod, also when the platform was away. */
function ownWords(object: PodObject): PodFailure | undefined {
	const failure = failureIn(endOf(object)?.message ?? "");
	return failure && agentFailure(failure);
}

function endedContainer(object: PodObject): PodFailure | undefined {
	const failed = failedDelivery(object) ?? failedSession(object);
	if (failed) return failed;
	if (object.metadata.deletionTimestamp !== undefined)
		return inClusterWords("POD_LOST", disruptionOf(object)?.message ?? "its pod was deleted in the cluster");
	return crashed(object);
}

function failedDelivery({ status: { initContainerStatuses = [] } }: PodObject): PodFailure | undefined {
	const ends = initContainerStatuses.map(({ state }) => state?.terminated);
	const failed = ends.find((end) => end && end.exitCode !== 0);
	if (!failed) return undefined;
	const words = `the session agent could not be brought into its image (${failed.exitCode}): ${lastWordsOf(failed)}`;
	return inClusterWords("CONTAINER_FAILED", words);
}

function failedSession(object: PodObject): PodFailure | undefined {
	const end = endOf(object);
	if (!end) return undefined;
	const { reason = "", message } = end;
	const lacking = isDelivered(object.status) ? lackingImage(end.exitCode, message ?? "") : undefined;
	if (lacking) return lacking;
	if (startErrors.has(reason)) return inClusterWords("CONTAINER_FAILED", lastWordsOf(end));
	if (unseenEnds.has(reason)) return inClusterWords("NODE_SHUTDOWN", message);
	return isCutOff(object, end) ? inClusterWords("POD_CANNOT_REACH_PLATFORM") : undefined;
}

/** Whether the session's image is of somebody else, and has got the session agent. */
function isDelivered({ initContainerStatuses = [] }: PodObject["status"]): boolean {
	return initContainerStatuses.some(({ name }) => name === deliveryContainer);
}

/** The agent has waited for its launch and got no answer. One that was refused has ended at once. */
function isCutOff({ metadata }: PodObject, { exitCode, startedAt = "", finishedAt = "" }: ContainerEnd): boolean {
	if (exitCode !== noLaunch || metadata.annotations?.[annotation.status] !== undefined) return false;
	return Date.parse(finishedAt) - Date.parse(startedAt) > silentMs;
}

function crashed(object: PodObject): PodFailure | undefined {
	const end = endOf(object);
	if (!end) return undefined;
	const isSilent = object.metadata.annotations?.[annotation.status] === undefined;
	const refused = isSilent ? unrunnable(end.exitCode) : undefined;
	if (refused) return refused;
	return {
		code: "AGENT_CRASHED",
		message: `The session agent ended (${end.exitCode}) before it could say why${lastLines(end)}`,
	};
}

/** An agent that was killed has written no message, and the cluster takes the last lines of its log. */
function lastLines({ message = "" }: ContainerEnd): string {
	const words = wordsOf(message.trim().slice(-maxLastLines));
	return words === "" ? "" : `; the last lines of its log: ${words}`;
}

function endOf(object: PodObject): ContainerEnd | undefined {
	return containerOf(object, sessionContainer)?.state?.terminated;
}

function isEndSeen(object: PodObject): boolean {
	const end = endOf(object);
	return end !== undefined && !unseenEnds.has(end.reason ?? "");
}

function lastWordsOf({ exitCode, reason, message }: ContainerEnd): string {
	return message ?? reason ?? `exit code ${exitCode}`;
}
