/**
 * Ends what a command of the coding agent has started, when the turn was cancelled and the agent leaves it running.
 * Agents do not tell which process belongs to which call, so it is told by its time (docs/choosing-an-agent.md).
 */
import { monotonic, sleep } from "#shared/clock.ts";
import { hasPipedInput, type ProcessIdentity, sendSignal, startTimeOf } from "#shared/process-files.ts";
import type { Environment } from "../io/environment.ts";
import { markedProcesses } from "../io/process-sweep.ts";

/** How long they may take over SIGTERM, and over SIGKILL. */
const patienceMs = { SIGTERM: 2_000, SIGKILL: 500 } as const;
const lookMs = 25;

/** When a command may have begun, in clock ticks since the machine's start. */
export interface CommandTime {
	/** When it was heard of. */
	readonly heard: number;
	/** When it can have begun at the earliest, as agents tell of a command before it runs or while it does. */
	readonly earliest: number;
}

/** @param marker Of the coding agent. */
export async function endCommands(marker: Environment, time: CommandTime): Promise<void> {
	for (const signal of ["SIGTERM", "SIGKILL"] as const) {
		const deadline = monotonic() + patienceMs[signal];
		const told = new Set<string>();
		for (;;) {
			const left = startedBy(marker, time);
			if (left.length === 0) return;
			for (const one of left) {
				const name = `${one.pid} ${one.startTime}`;
				if (!told.has(name)) sendSignal(one, signal);
				told.add(name);
			}
			if (monotonic() > deadline) break;
			await sleep(lookMs);
		}
	}
}

function startedBy(marker: Environment, { heard, earliest }: CommandTime): ProcessIdentity[] {
	return markedProcesses(marker).flatMap((pid) => {
		const startTime = startTimeOf(pid);
		if (startTime === undefined || Number(startTime) < earliest) return [];
		// Before the command was heard of, a server may have begun that the agent talks to.
		return Number(startTime) < heard && hasPipedInput(pid) ? [] : [{ pid, startTime }];
	});
}
