/** Pods as a cluster shows them, for tests without a cluster. */
import { annotation, label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import type { Circumstances } from "#services/pod-manager/pod-runtimes/kubernetes/state/circumstances.ts";
import type { ContainerEnd, PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import type { PodStatus } from "#shared/wire/pod/status.ts";

export const sessionId = "3f0c1111-2222-4333-8444-555566667777";

interface Shown {
	/** The report of its agent. */
	readonly told?: Partial<PodStatus>;
	readonly isEnding?: boolean;
	readonly node?: string | undefined;
	readonly status?: PodObject["status"];
}

/** Returns the pod of the first launch of the session. */
export function podShown({ told, isEnding = false, node = "n7", status = running }: Shown = {}): PodObject {
	const reported = told && JSON.stringify({ phase: "ready", pid: 1, timings: {}, ...told });
	return {
		metadata: {
			name: `session-${sessionId}-g1`,
			uid: "uid-1",
			resourceVersion: "7",
			labels: { [label.session]: sessionId, [label.generation]: "1" },
			annotations: reported === undefined ? {} : { [annotation.status]: reported },
			finalizers: ["atelier.dev/records"],
			...(isEnding && { deletionTimestamp: "2026-11-27T20:00:00Z" }),
		},
		spec: node === undefined || node === "" ? {} : { nodeName: node },
		status,
	};
}

export const running: PodObject["status"] = {
	phase: "Running",
	podIP: "10.244.0.9",
	conditions: [
		{ type: "PodScheduled", status: "True" },
		{ type: "Ready", status: "True" },
	],
	containerStatuses: [{ name: "session", state: { running: { startedAt: "2026-11-27T19:59:00Z" } } }],
};

/** Returns the status of a pod whose container has ended. */
export function ended(terminated: ContainerEnd, more: Partial<PodObject["status"]> = {}): PodObject["status"] {
	return { phase: "Failed", containerStatuses: [{ name: "session", state: { terminated } }], ...more };
}

/** Returns the status of a pod whose container cannot begin. */
export function waitingFor(reason: string, message?: string): PodObject["status"] {
	const waiting = { reason, ...(message !== undefined && { message }) };
	return {
		phase: "Pending",
		conditions: [{ type: "PodScheduled", status: "True" }],
		containerStatuses: [{ name: "session", state: { waiting } }],
	};
}

/** Returns the status of a pod for which no machine was chosen. */
export function unscheduled(reason: string, message?: string): PodObject["status"] {
	const scheduled = { type: "PodScheduled", status: "False", reason, ...(message !== undefined && { message }) };
	return { phase: "Pending", conditions: [scheduled] };
}

/** @param seenMs How long every condition has been seen. */
export function circumstances(seenMs = 0, events: ReturnType<Circumstances["eventsOf"]> = []): Circumstances {
	return { seenFor: () => seenMs, eventsOf: () => events };
}
