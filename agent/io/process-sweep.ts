/** Finds the processes that a pod left running, by its marker, which children inherit in any process group. */
// oxlint-disable-next-line no-restricted-imports -- nobody puts anything in the place of a file below /proc
import { readdirSync, readFileSync } from "node:fs";
import { sleep } from "#shared/base/clock.ts";
import type { Environment } from "./environment.ts";

const maxRounds = 50;
const roundMs = 10;

/** Kills every other process with the marker until none remains, for half a second at most. */
export async function sweepProcesses(marker: Environment): Promise<void> {
	for (let round = 0; round < maxRounds; round++) {
		const found = markedProcesses(marker);
		if (found.length === 0) return;
		for (const pid of found) kill(pid);
		await sleep(roundMs);
	}
}

/** Returns the process ids of all other live processes whose environment has every variable of the marker. */
export function markedProcesses(marker: Environment): number[] {
	const entries = Object.entries(marker).map(([name, value]) => `${name}=${value}`);
	const pids = readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map(Number);
	return pids.filter((pid) => pid !== process.pid && hasAll(pid, entries));
}

function hasAll(pid: number, entries: readonly string[]): boolean {
	try {
		const variables = new Set(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0"));
		return entries.every((entry) => variables.has(entry));
	} catch {
		// The process has ended meanwhile, or it belongs to another user and so not to this pod.
		return false;
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// The process has ended meanwhile.
	}
}
