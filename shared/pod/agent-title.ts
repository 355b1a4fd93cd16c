/**
 * How a session agent that was started before there was a session for it shows whose it has become: in the title of its
 * process, which takes the place of its arguments (proc(5), `/proc/<pid>/cmdline`). Its environment stays what it was.
 */
import type { LaunchDocument } from "./launch.ts";

type Marked = Pick<LaunchDocument, "session_id" | "generation" | "proof">;

const prefix = "atelier-agent ";

/** Argument of a session agent that waits. It makes room: a title ends where the arguments ended. */
export const waitingArgument = "waits-for-a-session".padEnd(96, "-");

/** Of one that is loaded and can be told. */
export const waitingTitle = `${prefix}waits for a session`;

/** e.g. `atelier-agent 0b2c…-g3.Zk1…`, at most 84 characters. */
export function agentTitle({ session_id, generation, proof }: Marked): string {
	return `${prefix}${session_id}-g${generation}.${proof}`;
}

/**
 * The name of the launch with its proof; undefined for a process with another title.
 * @param commandLine As `/proc/<pid>/cmdline` has it.
 */
export function launchNameIn(commandLine: string): string | undefined {
	const [title = ""] = commandLine.split("\0", 1);
	return title.startsWith(prefix) ? title.slice(prefix.length) : undefined;
}
