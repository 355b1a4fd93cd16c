/** What the processes and the records of a launch say about its pod. Pure. */
import { type Pod, podName, type PodState } from "../../pod-runtime.ts";
import type { MarkedProcess } from "./marked-processes.ts";
import { isSameLaunch, type Launch } from "./launch.ts";
import type { RunRecords } from "./run-folders.ts";

/** Undefined when there is nothing but an empty folder: its creator was stopped half-way and the pod never lived. */
export function podFrom(launch: Launch, processes: readonly MarkedProcess[], records: RunRecords): Pod | undefined {
	const { sessionId, generation } = launch;
	const living = processes.filter((process) => isSameLaunch(process, launch));
	const state = stateOf(living, records);
	if (!state) return undefined;
	const untold = state === "gone" ? endedOnRequest(records) : {};
	return { name: podName(sessionId, generation), sessionId, generation, state, ...untold, ...toldBy(records) };
}

function toldBy({ status }: RunRecords): Pick<Pod, "timings" | "address" | "failure" | "agentTitle"> {
	if (!status) return { timings: {} };
	return {
		timings: status.timings,
		...(status.port !== undefined && { address: `http://127.0.0.1:${status.port}` }),
		...(status.failure && { failure: status.failure }),
		...(status.agent_title !== undefined && { agentTitle: status.agent_title }),
	};
}

/** The session agent; several only for the moment in which a second one finds that it is too many. */
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

/** Told only when nobody wanted this session to end: then it ended together with the platform. */
function endedOnRequest({ endingSince }: RunRecords): Pick<Pod, "failure"> {
	if (endingSince === undefined) return {};
	return { failure: { code: "POD_ENDED", message: "The session was ended together with the platform" } };
}
