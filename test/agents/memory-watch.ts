/**
 * Measures the largest memory of a coding agent without the other processes of its session: the session agent, MCP
 * servers, commands.
 */
import { processFile } from "../support/machine/process-file.ts";
import type { SessionProcess } from "../support/platform/session-processes.ts";

const everyMs = 500;
/** The texts in the arguments of programs that the tests give to the agent. */
const others = /mcp-server\.ts|waiting\.pid/;

export class MemoryWatch {
	/** The MB of one session's agent, as proportional set size. */
	peak = 0;
	/** The ids of all processes of the sessions so far. */
	readonly pids = new Set<number>();
	readonly #processes: () => SessionProcess[];
	readonly #timer: NodeJS.Timeout;

	constructor(processes: () => SessionProcess[]) {
		this.#processes = processes;
		this.#timer = setInterval(() => this.look(), everyMs);
	}

	look(): void {
		const all = this.#processes();
		for (const { pid } of all) this.pids.add(pid);
		const agents = all.filter(({ pid, parent }) => all.some((one) => one.pid === parent) && !isOther(pid));
		for (const ofOne of Map.groupBy(agents, ({ session }) => session).values()) {
			const kilobytes = ofOne.reduce((sum, { pid }) => sum + proportionalSet(pid), 0);
			this.peak = Math.max(this.peak, Math.round(kilobytes / 1_024));
		}
	}

	end(): void {
		clearInterval(this.#timer);
	}
}

function isOther(pid: number): boolean {
	return others.test(processFile(pid, "cmdline"));
}

/** Returns kilobytes; 0 for a process that has ended. */
function proportionalSet(pid: number): number {
	return Number(/^Pss:\s+(\d+)/m.exec(processFile(pid, "smaps_rollup"))?.[1] ?? 0);
}
