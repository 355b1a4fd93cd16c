/** Starts session agents as processes that outlive their parent, for a launch or ahead of one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { Socket } from "node:net";
import { failpoint } from "#shared/base/failpoints.ts";
import { openUntrusted } from "#shared/base/files/untrusted-file.ts";
import { waitingArgument } from "#shared/wire/pod/agent-title.ts";
import { type LaunchDocument, marker } from "#shared/wire/pod/launch.ts";
import { niceness, setNiceness } from "#shared/wire/pod/niceness.ts";
import { agentRole, agentVariable } from "./marked-processes.ts";

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** The program of session agents, and how a process is prepared for it. */
export interface AgentProgram {
	/** The path of the program, a module for this Node. */
	readonly main: string;
	/** The variables of the platform's environment that it inherits. */
	readonly environment: Readonly<Record<string, string>>;
	/** The name of the installation for the mark of its processes. */
	readonly installation: string;
	/** The id of the host for the same mark; absent: none. */
	readonly host: string | undefined;
	/** Prepares a process before it becomes the agent of a launch and starts others. */
	readonly enter: (pid: number, launch: LaunchDocument) => Promise<void>;
}

/** A started agent. The platform does not end it when it ends itself. */
export interface StartedAgent {
	readonly process: ChildProcess;
	/** Resolves with the exit code, or with the signal that ended the process. */
	readonly ended: Promise<number | string | null>;
}

/**
 * Starts the agent of a launch; resolves when the process exists and its launch document is being sent. @throws {Error}
 * when the system cannot start one.
 */
export async function spawnAgent(program: AgentProgram, launch: LaunchDocument, log: string): Promise<StartedAgent> {
	const agent = await startAgent(program, launch.home, log, launch);
	await program.enter(agent.process.pid ?? 0, launch);
	sendLaunch(agent, launch);
	return agent;
}

/** Sends the launch document. An agent that ends before it has read all of it is found missing later. */
export function sendLaunch({ process: { stdin } }: StartedAgent, launch: LaunchDocument): void {
	failpoint("local-process.spawned");
	stdin?.end(JSON.stringify(launch));
}

/**
 * Starts a process. @param home Its home and working folder. @param log The file to which its output is appended.
 * @param launch Absent: the agent waits for its launch, and ends by itself when this process ends. It writes to its fourth
 * channel when it is loaded and when it has taken the launch.
 */
export async function startAgent(
	program: AgentProgram,
	home: string,
	log: string,
	launch?: LaunchDocument,
): Promise<StartedAgent> {
	const output = await openUntrusted(log, appending);
	try {
		const child = spawn(process.execPath, [program.main, ...(launch ? [] : [waitingArgument])], {
			cwd: home,
			detached: true,
			env: {
				...program.environment,
				HOME: home,
				[marker.installation]: program.installation,
				...(program.host !== undefined && { [marker.host]: program.host }),
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
