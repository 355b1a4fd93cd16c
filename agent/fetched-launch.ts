/** Gets the launch document through the platform's socket, in a pod to which nobody can write. */
import { request as httpRequest } from "node:http";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { deadline, monotonic, sleep } from "#shared/base/clock.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { LaunchDocumentError, readLaunchText } from "./launch-document.ts";

/** How long the platform may be away before the launch has failed, and the pause between attempts, in milliseconds. */
const patienceMs = 60_000;
const pauseMs = 500;
const requestMs = 10_000;

/** Returns the path of the socket; undefined when the document comes by standard input. */
export function launchSocket(args: readonly string[]): string | undefined {
	const index = args.indexOf("--launch-from");
	return index < 0 ? undefined : args[index + 1];
}

/** @throws {LaunchDocumentError} when the platform refuses, or cannot be reached for too long. */
export async function fetchLaunch(socketPath: string): Promise<string> {
	for (const until = monotonic() + patienceMs; ; await sleep(pauseMs)) {
		const answer = await ask(socketPath).catch(() => undefined);
		const status = answer?.statusCode ?? 503;
		if (answer && status === 200) return readLaunchText(answer);
		answer?.resume();
		if (status < 500) throw new LaunchDocumentError(`The platform gives no launch document: ${status}`);
		if (monotonic() > until) throw new LaunchDocumentError(`The platform does not answer at "${socketPath}"`);
	}
}

async function ask(socketPath: string): Promise<IncomingMessage> {
	const outgoing = httpRequest({ socketPath, method: "POST", path: doorPaths.launch, signal: deadline(requestMs) });
	outgoing.end();
	const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
	return answer;
}
