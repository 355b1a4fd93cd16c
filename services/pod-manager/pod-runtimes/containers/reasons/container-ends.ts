/** Explains why a container does not go on, and why it has ended when its agent could not say so. Pure. */
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { podFailure } from "../../../pod-refused.ts";
import { unrunnable } from "../../launches/lacking-image.ts";
import type { RunRecords } from "../../machine/run-folders.ts";
import { imageRefusal } from "../images/image-refusal.ts";
import type { InspectedContainer } from "../inspected-container.ts";
import { codeOfFailedStart } from "./engine-refusals.ts";

/** The exit code of a process that was killed (128 + SIGKILL). */
const killed = 137;
/** The exit code of an agent that got no launch document (agent/main.ts). */
const noLaunch = 65;
/** The time after which an agent that has not reported counts as cut off, in milliseconds. */
const silentMs = 20_000;
/** The time after which a container that was asked to end holds its workspace, in milliseconds: its grace is 20 s. */
const heldMs = 30_000;

/** The part of the world that a container does not show. */
export interface Circumstances {
	/** The time of the machine in milliseconds since 1970. */
	readonly at: number;
	/** When a container that had waited got its launch, in the same unit; absent: it was started for its launch. */
	readonly boundAt?: number | undefined;
	/** Whether the container was stopped from outside, with the engine or the machine, or by itself. */
	readonly isStoppedFromOutside: (container: InspectedContainer) => boolean;
}

/** Returns the reason for which a container that runs is not ready, or does not end; undefined when there is nothing to say. */
export function waitingReason(
	{ Name, State }: InspectedContainer,
	{ status, endingSince }: RunRecords,
	{ at, boundAt }: Circumstances,
): PodFailure | undefined {
	// A time that cannot be read counts as long ago.
	if (endingSince !== undefined)
		return at - endingSince <= heldMs ? undefined : podFailure("WORKSPACE_HELD", `"${Name.slice(1)}"`);
	const isSilent = State.Status === "running" && !status && at - (boundAt ?? Date.parse(State.StartedAt)) > silentMs;
	return isSilent ? podFailure("POD_CANNOT_REACH_PLATFORM") : undefined;
}

/** Returns the reason for which a container has ended; undefined when nobody knows it. Its agent has told none. */
export function endReason(
	container: InspectedContainer,
	{ status }: RunRecords,
	{ isStoppedFromOutside }: Circumstances,
): PodFailure | undefined {
	const { OOMKilled, ExitCode, Error: reason } = container.State;
	const refusal = imageRefusal(container);
	if (refusal) return refusal;
	// The engine also says so when only a command of the session was killed.
	if (OOMKilled && ExitCode === killed) return podFailure("OUT_OF_MEMORY");
	if (reason !== "") return failedStart(reason);
	if (isStoppedFromOutside(container)) return podFailure("NODE_SHUTDOWN");
	const early = status ? undefined : earlyEnd(container);
	if (early || ExitCode === killed) return early;
	return { code: "AGENT_CRASHED", message: `The session agent ended (${ExitCode}) before it could say why` };
}

/** Explains the end of a container whose agent has never reported. */
function earlyEnd({ State }: InspectedContainer): PodFailure | undefined {
	const { ExitCode, StartedAt, FinishedAt } = State;
	const refused = unrunnable(ExitCode);
	if (refused) return refused;
	const isLate = Date.parse(FinishedAt) - Date.parse(StartedAt) > silentMs;
	return ExitCode === noLaunch && isLate ? podFailure("POD_CANNOT_REACH_PLATFORM") : undefined;
}

function failedStart(reason: string): PodFailure {
	const code = codeOfFailedStart(reason);
	if (code !== "CONTAINER_FAILED") return podFailure(code);
	return { code, message: `The container could not be started: ${reason}` };
}
