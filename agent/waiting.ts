/** The part of a session agent that was started before there was a session for it. */
import { closeSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { agentTitle, waitingArgument, waitingTitle } from "#shared/wire/pod/agent-title.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { PreloadedAgent } from "./coding-agents/preloaded-agent.ts";
import { machineEnvironment, pick } from "./io/environment.ts";
import { prepareCheck } from "./launch-document.ts";

/** The descriptor on which it reports that it is ready for a launch document, and then that it has applied it. */
const answerFd = 3;

export function isWaiting(args: readonly string[]): boolean {
	return args.includes(waitingArgument);
}

/** Loads the modules of a pod, and then reports that it is ready. */
export async function loadAhead(): Promise<void> {
	await loadModules();
	say();
	process.title = waitingTitle;
}

/**
 * Loads the modules and a coding agent, says so at the platform's socket, and resolves when the platform ends the connection: there is a launch at its
 * door then, or there is no platform any more, of which the one who asks for the launch learns.
 */
export async function waitAt(path: string): Promise<PreloadedAgent | undefined> {
	// oxlint-disable-next-line no-restricted-properties -- the environment of the container, which has no session yet
	const { env } = process;
	// The record of the agent passes the cache on, too.
	const started = { ...machineEnvironment(env), ...pick(env, /^NODE_COMPILE_CACHE$/) };
	const [preloaded] = await Promise.all([PreloadedAgent.start(started), loadModules()]);
	const channel = connect({ path });
	channel.on("error", () => {});
	channel.resume().write("\n");
	await new Promise((resolve) => channel.once("close", resolve));
	return preloaded;
}

async function loadModules(): Promise<void> {
	await Promise.all([
		import("./session-agent.ts"),
		import("./server/message-sockets.ts"),
		import("#shared/model-proxy/model-proxy.ts"),
		import("#shared/wire/agents/agent-records.ts"),
	]);
	prepareCheck();
}

/** Writes the session into the process title, by which the platform finds the session's agent from then on. */
export function becomeAgentOf(launch: LaunchDocument): void {
	process.title = agentTitle(launch);
	process.chdir(launch.home);
	say();
	closeSync(answerFd);
}

function say(): void {
	writeSync(answerFd, "\n");
}
