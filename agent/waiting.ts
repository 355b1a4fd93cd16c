/** What a session agent does about having been started before there was a session for it. */
import { closeSync, writeSync } from "node:fs";
import { agentTitle, waitingArgument } from "#shared/pod/agent-title.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";

/** Where it says that it has become the session's agent. */
const answerFd = 3;

export function isWaiting(args: readonly string[]): boolean {
	return args.includes(waitingArgument);
}

/** Loads what the life of a pod needs. Whoever needs it later hears of a failure. */
export function loadAhead(): void {
	for (const loading of [import("./session-agent.ts"), import("./message-sockets.ts")]) loading.catch(() => {});
}

/** From here on whoever looks at the machine finds the session's agent in this process. */
export function becomeAgentOf(launch: LaunchDocument): void {
	process.title = agentTitle(launch);
	process.chdir(launch.home);
	writeSync(answerFd, "\n");
	closeSync(answerFd);
}
