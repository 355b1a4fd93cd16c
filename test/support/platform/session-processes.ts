/** Finds the processes of session pods by the marker in their environment or title, as the platform itself does. */
import { readdirSync, readFileSync } from "node:fs";
import { waitingTitle } from "#shared/wire/pod/agent-title.ts";
import { marker } from "#shared/wire/pod/launch.ts";
import { processFile } from "../machine/process-file.ts";

export interface SessionProcess {
	pid: number;
	parent: number;
	session: string;
	generation: number;
	/** Whether the process is the session agent, not one that the agent started. */
	isAgent: boolean;
}

/** Returns every process of every pod of one installation, without agents that wait for a session. */
export function sessionProcesses(installation: string): SessionProcess[] {
	return processIds().flatMap((pid) => read(pid, installation));
}

/** Returns the process ids of loaded session agents that wait for a session. */
export function waitingAgents(installation: string): number[] {
	return markedProcesses(installation).filter((pid) => processFile(pid, "cmdline").startsWith(waitingTitle));
}

/** Returns the process ids of all pods of an installation and of agents that are being loaded or wait for a session. */
export function markedProcesses(installation: string): number[] {
	return processIds().filter((pid) => processFile(pid, "environ").includes(`${marker.installation}=${installation}\0`));
}

function processIds(): number[] {
	return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/**
 * Returns the first process of each pod, the session agent, without its parent, which changes when the platform ends.
 */
export function sessionAgents(installation: string): Omit<SessionProcess, "parent" | "isAgent">[] {
	const all = sessionProcesses(installation);
	const first = all.filter(({ parent }) => !all.some(({ pid }) => pid === parent));
	return first.map(({ pid, session, generation }) => ({ pid, session, generation }));
}

/** Kills all pods of an installation, and the agents that wait for a session. */
export function killSessionProcesses(installation: string): void {
	for (const pid of markedProcesses(installation)) {
		try {
			process.kill(pid, "SIGKILL");
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
		}
	}
}

/** Reads a process; empty when it has ended meanwhile. */
function read(pid: number, installation: string): SessionProcess[] {
	try {
		const environment = new Map(
			readFileSync(`/proc/${pid}/environ`, "utf8")
				.split("\0")
				.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
		);
		if (environment.get(marker.installation) !== installation) return [];
		const [, session = "", generation] = titleOf(pid) ?? [];
		if (!environment.has(marker.session) && session === "") return [];
		const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
		return [
			{
				pid,
				parent,
				session: environment.get(marker.session) ?? session,
				generation: Number(environment.get(marker.generation) ?? generation),
				isAgent: environment.get("ATELIER_ROLE") === "agent",
			},
		];
	} catch {
		return [];
	}
}

/** Returns the title of a session agent that waited for its session. */
function titleOf(pid: number): RegExpExecArray | null {
	return /^atelier-agent (.+)-g(\d+)/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
}
