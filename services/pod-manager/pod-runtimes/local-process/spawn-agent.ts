/** Starts a session agent as a process that outlives its parent, and hands it its launch document. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { failpoint } from "#shared/failpoints.ts";
import { type LaunchDocument, marker } from "#shared/pod/launch.ts";
import { agentRole, agentVariable } from "./marked-processes.ts";

export interface AgentProgram {
	/** Path of the program, a module for this Node. */
	readonly main: string;
	/** What it may see of the platform's environment. */
	readonly environment: Readonly<Record<string, string>>;
	/** File its output is appended to. */
	readonly log: string;
}

/** Resolves when the process exists. @throws {Error} when the system cannot start one. */
export async function spawnAgent(program: AgentProgram, launch: LaunchDocument): Promise<ChildProcess> {
	const log = await open(program.log, "a", 0o600);
	try {
		const child = spawn(process.execPath, [program.main], {
			cwd: launch.home,
			detached: true,
			env: environmentOf(program, launch),
			stdio: ["pipe", log.fd, log.fd],
		});
		await once(child, "spawn");
		failpoint("local-process.spawned");
		child.unref();
		// One that ends before it has read everything is found missing by the next look.
		child.stdin?.on("error", () => {});
		child.stdin?.end(JSON.stringify(launch));
		return child;
	} finally {
		await log.close();
	}
}

function environmentOf({ environment }: AgentProgram, launch: LaunchDocument): Record<string, string> {
	return {
		...environment,
		HOME: launch.home,
		[marker.installation]: launch.installation,
		[marker.session]: launch.session_id,
		[marker.generation]: String(launch.generation),
		[agentVariable]: agentRole,
	};
}
