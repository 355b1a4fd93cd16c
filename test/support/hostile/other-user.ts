/** Runs a program as another user of this machine, which requires the tests to run as root. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** The user id of `nobody`. */
const otherId = 65_534;

export interface OtherUser {
	/** Sends a request; resolves with everything that is answered until the connection ends. */
	send(port: number, request: string): Promise<string>;
	/** Sends a request, closes the connection at once and reads no answer. */
	sendAndGo(port: number, request: string): Promise<void>;
}

/**
 * Returns the other user; undefined without the right to become one, or without bash, which needs nothing of this
 * user's.
 */
export async function otherUser(): Promise<OtherUser | undefined> {
	if (process.geteuid?.() === otherId || (await outputOf("echo $UID", "")) !== `${otherId}\n`) return undefined;
	return {
		send: (port, request) => outputOf(`exec 3<>/dev/tcp/127.0.0.1/${port}; cat >&3; cat <&3`, request),
		sendAndGo: async (port, request) => void (await outputOf(`cat >/dev/tcp/127.0.0.1/${port}`, request)),
	};
}

/** Returns the output of a script; empty when it could not be started. */
async function outputOf(script: string, input: string): Promise<string> {
	let child: ChildProcess;
	try {
		child = spawn("bash", ["-c", script], { cwd: "/", uid: otherId, gid: otherId, stdio: ["pipe", "pipe", "ignore"] });
	} catch {
		return "";
	}
	const { stdin, stdout } = child;
	if (!stdin || !stdout) return "";
	child.on("error", () => {});
	stdin.on("error", () => {}).end(input);
	const ended = once(child, "close").catch(() => {});
	const output = await text(stdout).catch(() => "");
	await ended;
	return output;
}
