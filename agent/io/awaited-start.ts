/** The start of a built-in agent that was loaded before there was a session for it (../coding-agents/preloaded-agent.ts). */
import { Socket } from "node:net";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";

export const awaitingArgument = "--awaits-its-environment";

/** The descriptor on which it says that it is loaded, and then reads its start until the end. */
export const awaitedFd = 3;

export interface AwaitedStart {
	/** The whole environment of the session's agent. */
	readonly env: Readonly<Record<string, string>>;
	/** The working directory. */
	readonly folder: string;
}

/** Says that the modules are loaded, and resolves when the process has its start. @returns false: nobody needs it any more. */
export async function receiveStart(): Promise<boolean> {
	const channel = new Socket({ fd: awaitedFd });
	channel.write("\n");
	const pieces: Buffer[] = [];
	for await (const piece of channel) pieces.push(piece as Buffer);
	const { env, folder } = parseJsonObject(Buffer.concat(pieces).toString("utf8")) ?? {};
	if (!isJsonObject(env) || typeof folder !== "string") return false;
	// oxlint-disable-next-line no-restricted-properties -- the environment of this program, which its session agent makes
	const own = process.env;
	for (const name of Object.keys(own)) delete own[name];
	for (const [name, value] of Object.entries(env)) if (typeof value === "string") own[name] = value;
	process.chdir(folder);
	return true;
}
