/** The form of a recorded pod that does not go on, and who says so. */
import type { ClusterEvent } from "#services/pod-manager/pod-runtimes/kubernetes/state/circumstances.ts";
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import { unscheduled, waitingFor } from "../pods/pod-objects.ts";

export interface WaitingPod {
	/** The part of the cluster that says it, and why. */
	readonly seen: string;
	readonly status: PodObject["status"];
	/** Absent: no machine was chosen. */
	readonly node?: string;
	/** The newest first. */
	readonly events?: readonly ClusterEvent[];
	readonly code: FailureCode;
	/** The words after the sentence of the code; absent: none. */
	readonly words?: string;
	/** The seconds after which the reason is shown; absent: it is shown at once. */
	readonly shownAfter?: number;
	/** The seconds after which the pod has failed with it; absent: never, so that the deadline of the launch counts. */
	readonly finalAfter?: number;
}

export const node = "n7";
const creating = waitingFor("ContainerCreating");

export function fromScheduler(words: string, reason = "Unschedulable"): Pick<WaitingPod, "status" | "words"> {
	return { status: unscheduled(reason, words), words };
}

export function fromKubelet(reason: string, words: string): Pick<WaitingPod, "status" | "words" | "node"> {
	return { status: waitingFor(reason, words), words, node };
}

export function fromEvent(reason: string, words: string): Pick<WaitingPod, "status" | "words" | "node" | "events"> {
	return { status: creating, words, node, events: [{ reason, message: words }] };
}

export function fromClaim(reason: string, words: string): Pick<WaitingPod, "status" | "words" | "events"> {
	return { status: { phase: "Pending" }, words, events: [{ reason, message: words }] };
}
