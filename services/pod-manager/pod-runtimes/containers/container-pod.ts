/** Derives the state of a pod from its container and the records of its launch. Pure. */
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { type Pod, podName, type PodState } from "../../pod-runtime.ts";
import type { Launch } from "../local-process/launch.ts";
import { reportedBy } from "../local-process/local-pod.ts";
import type { RunRecords } from "../local-process/run-folders.ts";
import { imageRefusal } from "./image-refusal.ts";
import type { InspectedContainer } from "./inspected-container.ts";

/** The exit code of a process that was killed (128 + SIGKILL). */
const killed = 137;

/** Returns the pod; undefined when it never had a container and nobody has asked it to end. */
export function containerPod(
	launch: Launch,
	container: InspectedContainer | undefined,
	records: RunRecords,
): Pod | undefined {
	const { status, endingSince } = records;
	if (!container && !status && endingSince === undefined) return undefined;
	const state = stateOf(container, records);
	const failure = status?.failure ?? (state === "gone" ? failureOf(container, records) : undefined);
	return {
		name: podName(launch.sessionId, launch.generation),
		...launch,
		state,
		...reportedBy(records),
		...(failure && { failure }),
	};
}

/** Whether a container has a process, or will have one. One that could not be started stays `created`. */
export function isAlive({ State }: InspectedContainer): boolean {
	if (State.Status === "created") return State.Error === "";
	return State.Status === "running" || State.Status === "paused" || State.Status === "restarting";
}

function stateOf(container: InspectedContainer | undefined, { status, endingSince }: RunRecords): PodState {
	if (!container || !isAlive(container)) return "gone";
	if (endingSince !== undefined) return "leaving";
	if (status?.phase === "failed") return "failed";
	return status?.phase === "ready" ? "ready" : "launching";
}

/** Explains the end of a container whose agent could not say why. */
function failureOf(container: InspectedContainer | undefined, { endingSince }: RunRecords): PodFailure | undefined {
	if (endingSince !== undefined)
		return { code: "POD_ENDED", message: "The session was ended together with the platform" };
	if (!container || isAlive(container)) return undefined;
	const { OOMKilled, ExitCode, Error: reason } = container.State;
	const refusal = imageRefusal(container);
	if (refusal) return refusal;
	// The engine also says so when only a command of the session was killed.
	if (OOMKilled && ExitCode === killed) {
		return { code: "OUT_OF_MEMORY", message: "The session used more memory than it may have" };
	}
	if (reason !== "") return { code: "CONTAINER_FAILED", message: `The container could not be started: ${reason}` };
	if (ExitCode === killed) return undefined;
	return { code: "AGENT_CRASHED", message: `The session agent ended (${ExitCode}) before it could say why` };
}
