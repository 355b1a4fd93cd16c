/** The part of a session agent that was started before there was a session for it. */
import { closeSync, writeSync } from "node:fs";
import { agentTitle, waitingArgument, waitingTitle } from "#shared/wire/pod/agent-title.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { prepareCheck } from "./launch-document.ts";

/** The descriptor on which it reports that it is ready for a launch document, and then that it has applied it. */
const answerFd = 3;

export function isWaiting(args: readonly string[]): boolean {
	return args.includes(waitingArgument);
}

/** Loads the modules of a pod, and then reports that it is ready. */
export async function loadAhead(): Promise<void> {
	await Promise.all([
		import("./session-agent.ts"),
		import("./server/message-sockets.ts"),
		import("#shared/model-proxy/model-proxy.ts"),
		import("#shared/wire/agents/agent-records.ts"),
	]);
	prepareCheck();
	say();
	process.title = waitingTitle;
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
