/** Gets the launch document at the platform's door, in a pod to which nobody can write. */
// oxlint-disable-next-line no-restricted-imports -- the token, which is there before anything of a session runs
import { readFile } from "node:fs/promises";
import { type IncomingMessage, type RequestOptions, request as httpRequest } from "node:http";
import { once } from "node:events";
import { deadline, monotonic, sleep } from "#shared/base/clock.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { earlierSessions } from "./earlier-sessions.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { LaunchDocumentError, parseLaunchDocument, readLaunchText } from "./launch-document.ts";

/** How long the platform may be away before the launch has failed, and the pause between attempts, in milliseconds. */
const patienceMs = 60_000;
const pauseMs = 500;
const requestMs = 10_000;

/** Where the launch document is. */
export interface LaunchSource {
	/** The path of the platform's socket, which only this pod has, or the URL of its door. */
	readonly door: string;
	/** The path of the file with the token that says which pod asks; absent at a socket. */
	readonly tokenFile?: string;
	/** The folder with the records of the sessions of the pod's volume; absent: the pod has none of others. */
	readonly records?: string;
	/** The socket at which the pod waits for its session; absent: it has one. */
	readonly waitsAt?: string;
}

/** Reads `--launch-from` and what belongs to it; undefined when the document comes by standard input. */
export function launchSource(args: readonly string[]): LaunchSource | undefined {
	const door = valueOf(args, "--launch-from");
	if (door === undefined) return undefined;
	const tokenFile = valueOf(args, "--token");
	const records = valueOf(args, "--records");
	const waitsAt = valueOf(args, "--wait-at");
	return {
		door,
		...(tokenFile !== undefined && { tokenFile }),
		...(records !== undefined && { records }),
		...(waitsAt !== undefined && { waitsAt }),
	};
}

function valueOf(args: readonly string[], name: string): string | undefined {
	const index = args.indexOf(name);
	return index < 0 ? undefined : args[index + 1];
}

/**
 * Resolves to the launch document. A pod that has a network listens at the address with which it has reached the door, because a cluster
 * tells the platform the address of a pod up to a second after its start.
 * @throws {LaunchDocumentError} when the platform refuses, when it cannot be reached for too long, or when its answer is no launch document.
 */
export async function fetchLaunch(source: LaunchSource): Promise<LaunchDocument> {
	for (const until = monotonic() + patienceMs; ; await sleep(pauseMs)) {
		const answer = await ask(source).catch((error: unknown) => whyNot(error));
		if (typeof answer !== "string" && answer.statusCode === 200) return launchIn(answer);
		const outcome = typeof answer === "string" ? answer : refusedBy(answer);
		if (monotonic() > until) throw new LaunchDocumentError(`The platform at "${source.door}" ${outcome}`);
	}
}

/** Returns what the platform did, as the end of a sentence. @throws {LaunchDocumentError} for an answer that stays. */
function refusedBy(answer: IncomingMessage): string {
	const { statusCode = 500 } = answer;
	answer.resume();
	if (statusCode < 500) throw new LaunchDocumentError(`The platform gives no launch document: ${statusCode}`);
	return `answers ${statusCode}`;
}

function whyNot(error: unknown): string {
	return `does not answer: ${error instanceof Error ? error.message : String(error)}`;
}

async function launchIn(answer: IncomingMessage): Promise<LaunchDocument> {
	const { localAddress } = answer.socket;
	const launch = parseLaunchDocument(await readLaunchText(answer));
	return localAddress === undefined ? launch : { ...launch, listen_host: localAddress };
}

async function ask({ door, tokenFile, records }: LaunchSource): Promise<IncomingMessage> {
	// The cluster replaces a token before it expires.
	const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, "utf8")).trim();
	const question = records === undefined ? "" : JSON.stringify({ sessions: await earlierSessions(records) });
	const outgoing = httpRequest({
		...placeOf(door, doorPaths.launch),
		method: "POST",
		headers: {
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...(question !== "" && { "content-length": Buffer.byteLength(question) }),
		},
		signal: deadline(requestMs),
	});
	outgoing.end(question);
	const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
	return answer;
}

/** Returns where a request to a door goes. @param door The path of a socket, or a URL without a path. */
export function placeOf(door: string, path: string): RequestOptions {
	if (door.startsWith("/")) return { socketPath: door, path };
	const { hostname, port } = new URL(door);
	return { hostname, port, path };
}
