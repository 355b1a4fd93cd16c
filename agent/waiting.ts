/** What a session agent does about having been started before there was a session for it. */
import { closeSync, writeSync } from "node:fs";
import { agentTitle, waitingArgument, waitingTitle } from "#shared/pod/agent-title.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { prepareCheck } from "./launch-document.ts";

/** Where it says that it can be told what to be, and then that it has become it. */
const answerFd = 3;

export function isWaiting(args: readonly string[]): boolean {
	return args.includes(waitingArgument);
}

/** Loads what the life of a pod needs, at once or later, and says that it is there. */
export async function loadAhead(): Promise<void> {
	await Promise.all([
		import("./session-agent.ts"),
		import("./server/message-sockets.ts"),
		import("./model-proxy/model-proxy.ts"),
		import("#shared/agents/agent-records.ts"),
	]);
	prepareCheck();
	say();
	process.title = waitingTitle;
}

/** From here on whoever looks at the machine finds the session's agent in this process. */
export function becomeAgentOf(launch: LaunchDocument): void {
	process.title = agentTitle(launch);
	process.chdir(launch.home);
	say();
	closeSync(answerFd);
}

function say(): void {
	writeSync(answerFd, "\n");
}
