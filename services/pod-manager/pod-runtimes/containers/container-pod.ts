/** Derives the state of a pod from its container and the records of its launch. Pure. */
import { type Pod, podName, type PodState } from "../../pod-runtime.ts";
import type { Launch } from "../launches/launch.ts";
import { reportedBy } from "../machine/pod-report.ts";
import type { RunRecords } from "../machine/run-folders.ts";
import type { InspectedContainer } from "./inspected-container.ts";
import { type Circumstances, endReason, waitingReason } from "./reasons/container-ends.ts";

/** The longest time from a creation to the answer of its start, in milliseconds: the calls between them have at most 19 s. */
const startMs = 20_000;

/**
 * Returns the pod; undefined when it never had a container that was started and nobody has asked it to end. Such a launch can be
 * begun again.
 */
export function containerPod(
	launch: Launch,
	found: InspectedContainer | undefined,
	records: RunRecords,
	circumstances: Circumstances,
): Pod | undefined {
	const { status, endingSince } = records;
	const container = found && isUnfinished(found, circumstances) ? undefined : found;
	if (!container && !status && endingSince === undefined) return undefined;
	const state = stateOf(container, records);
	return {
		name: podName(launch.sessionId, launch.generation),
		...launch,
		state,
		...reportedBy(records),
		...(state === "gone" ? failureOf(container, records, circumstances) : {}),
		...(state !== "gone" && container && waitingOf(container, records, circumstances)),
	};
}

/** Whether a container has a process, or will have one. One that could not be started stays `created`. */
export function isAlive({ State }: InspectedContainer): boolean {
	if (State.Status === "created") return State.Error === "";
	return State.Status === "running" || State.Status === "paused" || State.Status === "restarting";
}

/**
 * Whether the process that has created a container ended before it started it. A start that is under way all the same does no
 * harm: the engine starts a container once. A creation in the future was before the clock was set back.
 */
function isUnfinished({ State, Created }: InspectedContainer, { at }: Circumstances): boolean {
	if (State.Status !== "created" || State.Error !== "") return false;
	// A time that cannot be read counts as long ago.
	return !(Math.abs(at - Date.parse(Created)) <= startMs);
}

function stateOf(container: InspectedContainer | undefined, { status, endingSince }: RunRecords): PodState {
	if (!container || !isAlive(container)) return "gone";
	if (endingSince !== undefined) return "leaving";
	if (status?.phase === "failed") return "failed";
	return status?.phase === "ready" ? "ready" : "launching";
}

/** Explains the end of a container, above all one whose agent could not say why. */
function failureOf(
	container: InspectedContainer | undefined,
	records: RunRecords,
	circumstances: Circumstances,
): Pick<Pod, "failure"> {
	const { status, endingSince } = records;
	if (status?.failure) return { failure: status.failure };
	if (endingSince !== undefined) return { failure: endedTogether };
	const failure = container && endReason(container, records, circumstances);
	return failure ? { failure } : {};
}

const endedTogether = { code: "POD_ENDED", message: "The session was ended together with the platform" };

function waitingOf(
	container: InspectedContainer,
	records: RunRecords,
	circumstances: Circumstances,
): Pick<Pod, "waiting"> {
	const waiting = waitingReason(container, records, circumstances);
	return waiting ? { waiting } : {};
}
