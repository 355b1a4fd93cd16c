/**
 * The title of a session agent's process. An agent that was started before its session existed shows in its title which
 * session it serves now. The title takes the place of the process's arguments (proc(5), `/proc/<pid>/cmdline`); its
 * environment cannot change.
 */
import type { LaunchDocument } from "./launch.ts";

type Marked = Pick<LaunchDocument, "session_id" | "generation" | "proof">;

const prefix = "atelier-agent ";

/** The argument of a session agent that waits. It is long to make room, because a title ends where the arguments ended. */
export const waitingArgument = "waits-for-a-session".padEnd(96, "-");

/** The title of a waiting session agent that is loaded and ready to get a session. */
export const waitingTitle = `${prefix}waits for a session`;

/** Returns the title of an agent with a session, e.g. `atelier-agent 0b2c…-g3.Zk1…`, at most 84 characters. */
export function agentTitle({ session_id, generation, proof }: Marked): string {
	return `${prefix}${session_id}-g${generation}.${proof}`;
}

/**
 * Returns the name of the launch with its proof; undefined for a process with another title.
 * @param commandLine The content of `/proc/<pid>/cmdline`.
 */
export function launchNameIn(commandLine: string): string | undefined {
	const [title = ""] = commandLine.split("\0", 1);
	return title.startsWith(prefix) ? title.slice(prefix.length) : undefined;
}
