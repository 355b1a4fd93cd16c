/**
 * Ends the processes that a command of the coding agent started, when the turn was cancelled and the agent leaves
 * them running. Agents do not report which process belongs to which call, so the processes are found by their start
 * time (docs/choosing-an-agent.md).
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { hasPipedInput, type ProcessIdentity, sendSignal, startTimeOf } from "#shared/base/files/process-files.ts";
import type { Environment } from "../io/environment.ts";
import { markedProcesses } from "../io/process-sweep.ts";

/** How long the processes may take after SIGTERM and after SIGKILL. */
const patienceMs = { SIGTERM: 2_000, SIGKILL: 500 } as const;
const lookMs = 25;

/** When a command may have started, in clock ticks since the machine's start. */
export interface CommandTime {
	/** The time when the command was reported. */
	readonly reportedAt: number;
	/** The earliest possible start: agents report a command before it runs or while it does. */
	readonly earliest: number;
}

export async function endCommands(marker: Environment, time: CommandTime): Promise<void> {
	for (const signal of ["SIGTERM", "SIGKILL"] as const) {
		const deadline = monotonic() + patienceMs[signal];
		const signalled = new Set<string>();
		for (;;) {
			const remaining = startedBy(marker, time);
			if (remaining.length === 0) return;
			for (const one of remaining) {
				const name = `${one.pid} ${one.startTime}`;
				if (!signalled.has(name)) sendSignal(one, signal);
				signalled.add(name);
			}
			if (monotonic() > deadline) break;
			await sleep(lookMs);
		}
	}
}

function startedBy(marker: Environment, { reportedAt, earliest }: CommandTime): ProcessIdentity[] {
	return markedProcesses(marker).flatMap((pid) => {
		const startTime = startTimeOf(pid);
		if (startTime === undefined || Number(startTime) < earliest) return [];
		// The agent may have started a server that it talks to before the command was reported.
		return Number(startTime) < reportedAt && hasPipedInput(pid) ? [] : [{ pid, startTime }];
	});
}
