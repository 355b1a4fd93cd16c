/** Session agents as processes that outlive their parent: started for a launch, or ahead of one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { Socket } from "node:net";
import { failpoint } from "#shared/failpoints.ts";
import { openUntrusted } from "#shared/files/untrusted-file.ts";
import { waitingArgument } from "#shared/pod/agent-title.ts";
import { type LaunchDocument, marker } from "#shared/pod/launch.ts";
import { niceness, setNiceness } from "#shared/pod/niceness.ts";
import { agentRole, agentVariable } from "./marked-processes.ts";

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

export interface AgentProgram {
	/** Path of the program, a module for this Node. */
	readonly main: string;
	/** What it may see of the platform's environment. */
	readonly environment: Readonly<Record<string, string>>;
	/** Marks its processes. */
	readonly installation: string;
	/** Does what has to be done with a process before it becomes the agent of a launch and starts others. */
	readonly enter: (pid: number, launch: LaunchDocument) => Promise<void>;
}

export interface StartedAgent {
	readonly process: ChildProcess;
	/** Resolves with its exit code, or the signal that ended it. */
	readonly ended: Promise<number | string | null>;
}

/** Resolves when the process exists and is being told its launch. @throws {Error} when the system cannot start one. */
export async function spawnAgent(program: AgentProgram, launch: LaunchDocument, log: string): Promise<StartedAgent> {
	const agent = await start(program, launch.home, log, launch);
	await program.enter(agent.process.pid ?? 0, launch);
	tell(agent, launch);
	return agent;
}

/**
 * One that waits for its launch, and ends by itself when this process does. It writes to its fourth channel when it is
 * loaded, and when it has taken the launch.
 * @param home While it waits.
 */
export function spawnWaiting(program: AgentProgram, home: string, log: string): Promise<StartedAgent> {
	return start(program, home, log);
}

/** One that ends before it has read everything is found missing by whoever waits for it. */
export function tell({ process: { stdin } }: StartedAgent, launch: LaunchDocument): void {
	failpoint("local-process.spawned");
	stdin?.end(JSON.stringify(launch));
}

/** @param home Also its working folder. @param log Its output is appended to it. @param launch Absent: it waits for one. */
async function start(program: AgentProgram, home: string, log: string, launch?: LaunchDocument): Promise<StartedAgent> {
	const output = await openUntrusted(log, appending);
	try {
		const child = spawn(process.execPath, [program.main, ...(launch ? [] : [waitingArgument])], {
			cwd: home,
			detached: true,
			env: {
				...program.environment,
				HOME: home,
				[marker.installation]: program.installation,
				...(launch && markOf(launch)),
				[agentVariable]: agentRole,
			},
			stdio: ["pipe", output.fd, output.fd, ...(launch ? [] : ["pipe" as const])],
		});
		const ended = new Promise<number | string | null>((resolve) => {
			child.once("exit", (code, signal) => resolve(code ?? signal));
		});
		await once(child, "spawn");
		setNiceness(child.pid, niceness.sessionAgent);
		child.unref();
		for (const channel of child.stdio) if (channel instanceof Socket) channel.unref();
		child.stdin?.on("error", () => {});
		return { process: child, ended };
	} finally {
		await output.close();
	}
}

function markOf({ session_id, generation, proof }: LaunchDocument): Record<string, string> {
	return { [marker.session]: session_id, [marker.generation]: String(generation), [marker.proof]: proof };
}
