/** Derives the state of a pod from the processes and the records of its launch. Pure. */
import type { Failure } from "#shared/contracts/sessions/status-reasons.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import { type Pod, podName, type PodState } from "../../pod-runtime.ts";
import type { MarkedProcess } from "./marked-processes.ts";
import { isSameLaunch, type Launch } from "../launches/launch.ts";
import { reportedBy } from "../machine/pod-report.ts";
import type { RunRecords } from "../machine/run-folders.ts";

/**
 * Returns the pod; undefined for a launch with an empty folder only: its creator was interrupted and the pod never
 * lived.
 * @param listenHost The host at which pods of this runtime listen. A pod that was started before it was configured
 * listens on loopback.
 */
export function podFrom(
	launch: Launch,
	processes: readonly MarkedProcess[],
	records: RunRecords,
	listenHost = loopbackHost,
): Pod | undefined {
	const { sessionId, generation } = launch;
	const living = processes.filter((process) => isSameLaunch(process, launch));
	const state = stateOf(living, records);
	if (!state) return undefined;
	const implied = state === "gone" ? endedOnRequest(records) : {};
	return {
		name: podName(sessionId, generation),
		sessionId,
		generation,
		state,
		...implied,
		...reportedBy(records, listenHost),
	};
}

/** Returns the session agent. There are several only until a superfluous one notices that. */
export function agentsAmong(processes: readonly MarkedProcess[], { status }: RunRecords): MarkedProcess[] {
	return processes.filter(({ isAgent, pid }) => isAgent && (status === undefined || status.pid === pid));
}

function stateOf(processes: readonly MarkedProcess[], records: RunRecords): PodState | undefined {
	const { status, endingSince } = records;
	if (processes.length === 0) return status || endingSince !== undefined ? "gone" : undefined;
	if (endingSince !== undefined) return "leaving";
	if (agentsAmong(processes, records).length === 0 || status?.phase === "failed") return "failed";
	return status?.phase === "ready" ? "ready" : "launching";
}

/** Explains the end of a session that ended together with the platform although nobody ended the session. */
function endedOnRequest({ endingSince }: RunRecords): { failure?: Failure } {
	if (endingSince === undefined) return {};
	return { failure: { code: "POD_ENDED", message: "The session was ended together with the platform" } };
}
