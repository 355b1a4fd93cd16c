/** The form of a recorded pod that has ended, and what people are told. */
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import type { PodStatus } from "#shared/wire/pod/status.ts";
import { ended } from "../pods/pod-objects.ts";

export interface EndedPod {
	readonly seen: string;
	readonly status: PodObject["status"];
	readonly isEnding?: boolean;
	readonly told?: Partial<PodStatus>;
	readonly code: FailureCode;
	/** The words after the sentence of the code; absent: none. */
	readonly words?: string;
	/** The whole sentence, where it is not that of the code. */
	readonly sentence?: string;
}

export type Status = PodObject["status"];

export function disruption(reason: string, message: string): Partial<Status> {
	return { conditions: [{ type: "DisruptionTarget", status: "True", reason, message }] };
}

export const orderly = { exitCode: 0, reason: "Completed" };

/** The agent has ended in order, since the cluster has asked the pod to end. */
export function disrupted(reason: string, words: string): Pick<EndedPod, "status" | "words" | "isEnding"> {
	return { isEnding: true, status: ended(orderly, disruption(reason, words)), words };
}

/** Returns the sentence about an agent that has said nothing. */
export const crash = (code: number): string => `The session agent ended (${code}) before it could say why`;
