/** Derives the report of a pod, and the address of its agent, from the status that the agent has written. Pure. */
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import type { Pod, PodReport } from "../../pod-runtime.ts";
import type { RunRecords } from "./run-folders.ts";

/** Returns what the agent has reported. @param listenHost The host at which pods of this runtime listen; default: the reported one. */
export function reportedBy({ status }: RunRecords, listenHost = status?.host): PodReport & Pick<Pod, "address"> {
	if (!status) return { timings: {} };
	const { number: _number, phase: _phase, pid: _pid, measured: _measured, port, host, ...report } = status;
	const reachedAt = host !== undefined && host === listenHost ? host : loopbackHost;
	return { ...report, ...(port !== undefined && { address: `http://${reachedAt}:${port}` }) };
}
