/**
 * The platform as pods of a cluster see it before they have anything: an HTTP server of the pod manager that gives a pod its launch,
 * for the token of its account, and takes its status, for the token of its launch. Everything else, pods ask the platform's API.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { bound } from "#shared/base/bounds.ts";
import { deadline } from "#shared/base/clock.ts";
import { readBounded } from "#shared/base/bounded-read.ts";
import { orAborted } from "#shared/base/concurrency/or-aborted.ts";
import { TokenBucket } from "#shared/base/concurrency/token-bucket.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { maxQuestionBytes, sessionsIn } from "#shared/wire/pod/door/launch-question.ts";
import { slowPeerLimits } from "#shared/net/http/slow-peers.ts";
import type { DoorQuestion } from "./door-troubles.ts";
import type { DeskAnswer } from "./launch-desk.ts";

const maxStatusBytes = 16_384;
/** Tokens of accounts have about 1,200 characters. */
const maxTokenLength = 8_192;
/** The time in which a status is kept, in milliseconds: the agent gives a delivery up after 5 s and sends a later one. */
const statusMs = 4_000;

export interface ClusterDoorDependencies {
	/** @param earlier The sessions that have records in the pod's volume. @throws {Error} when nobody can say it now. */
	readonly launch: (token: string, earlier: readonly string[]) => Promise<DeskAnswer>;
	/**
	 * Takes the status of the launch that a token was made for; false for another token, or a pod that is gone. The signal ends it when the pod has
	 * given it up, or is about to.
	 * @throws {SyntaxError} for what is no status; {Error} when it cannot be kept now.
	 */
	readonly report: (token: string, status: Buffer, signal: AbortSignal) => Promise<boolean>;
	/** Whether a token is that of a launch, which its agent alone has. */
	readonly isOfLaunch: (token: string) => boolean;
	/** Learns why a question could not be answered, for the operator: the pod gets a status only. */
	readonly failed: (question: DoorQuestion, error: unknown) => void;
}

/** Returns the server, which does not listen yet. */
export function clusterDoor(dependencies: ClusterDoorDependencies): Server {
	const senders = new LRUCache<string, TokenBucket>({ max: bound.countedSenders });
	const server = createServer({ ...slowPeerLimits, requestTimeout: 20_000 });
	server.maxConnections = bound.clusterDoorConnections;
	server.maxRequestsPerSocket = 1;
	limitEach(server, bound.clusterDoorConnectionsOfPod);
	server.on("request", (request, response) => {
		response.shouldKeepAlive = false;
		answer(dependencies, senders, { request, response }).catch((error: unknown) => {
			if (response.headersSent) response.destroy();
			else response.writeHead(error instanceof SyntaxError ? 400 : 503).end();
		});
	});
	return server;
}

type Answer = (dependencies: ClusterDoorDependencies, token: string, exchange: Exchange) => Promise<void>;

interface Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
}

const answers: Readonly<Record<string, Answer>> = { [doorPaths.launch]: giveLaunch, [doorPaths.status]: takeStatus };

async function answer(
	dependencies: ClusterDoorDependencies,
	senders: LRUCache<string, TokenBucket>,
	exchange: Exchange,
): Promise<void> {
	const { method, url = "", headers, socket } = exchange.request;
	const known = method === "POST" && Object.hasOwn(answers, url) ? answers[url] : undefined;
	if (!known) return refuse(exchange, 404);
	const token = tokenIn(headers.authorization);
	const ofLaunch = known === takeStatus ? launchTokenOf(dependencies, token) : undefined;
	if (!admits(senders, ofLaunch ?? socket.remoteAddress ?? "")) return refuse(exchange, 503);
	return token === undefined ? refuse(exchange, 401) : known(dependencies, token, exchange);
}

/**
 * The other programs of a session have the address of its agent, but not this token, so that they cannot use up the pace of its reports. They
 * can harm their own session only: they share the connections of their address, which are bounded before any token is read.
 */
function launchTokenOf({ isOfLaunch }: ClusterDoorDependencies, token: string | undefined): string | undefined {
	return token !== undefined && isOfLaunch(token) ? token : undefined;
}

function tokenIn(authorization = ""): string | undefined {
	return authorization.length > maxTokenLength ? undefined : /^Bearer (\S+)$/.exec(authorization)?.[1];
}

async function giveLaunch({ launch, failed }: ClusterDoorDependencies, token: string, { request, response }: Exchange) {
	const question = await readBounded(request, {
		maxBytes: maxQuestionBytes,
		tooLarge: () => tooMany(maxQuestionBytes),
	});
	const answered = await launch(token, sessionsIn(question.toString("utf8"))).catch((error: unknown) => {
		failed("launch", error);
		throw error;
	});
	if (answered === "refused") response.writeHead(401).end();
	else if (answered === "over") response.writeHead(409).end();
	else response.writeHead(200, { "content-type": "application/json" }).end(answered.document);
}

async function takeStatus({ report, failed }: ClusterDoorDependencies, token: string, { request, response }: Exchange) {
	const ended = endOf(response);
	const signal = deadline(statusMs, ended);
	const status = await readBounded(request, { maxBytes: maxStatusBytes, tooLarge: () => tooMany(maxStatusBytes) });
	signal.throwIfAborted();
	const isTaken = await orAborted(report(token, status, signal), signal).catch((error: unknown) => {
		if (!ended.aborted && !(error instanceof SyntaxError)) failed("status", signal.aborted ? late() : error);
		throw error;
	});
	response.writeHead(isTaken ? 204 : 401).end();
}

function late(): Error {
	return new Error(`The cluster has not kept it within ${statusMs / 1_000} s`);
}

/** Returns a signal that aborts when the answer was sent, or nobody waits for it any more. */
function endOf(response: ServerResponse): AbortSignal {
	const ending = new AbortController();
	response.on("close", () => ending.abort());
	return ending.signal;
}

function tooMany(maxBytes: number): SyntaxError {
	return new SyntaxError(`The body has at most ${maxBytes} bytes`);
}

/** Closes the connections that an address opens beyond its share, so that one pod cannot have all that there are. */
function limitEach(server: Server, most: number): void {
	const open = new Map<string, number>();
	server.on("connection", (socket) => {
		const address = socket.remoteAddress ?? "";
		const count = (open.get(address) ?? 0) + 1;
		open.set(address, count);
		socket.on("close", () => {
			const left = (open.get(address) ?? 1) - 1;
			if (left > 0) open.set(address, left);
			else open.delete(address);
		});
		if (count > most) socket.destroy();
	});
}

/** @param sender The token of a launch, or the address of a pod: each pod has its own, so that one cannot use up what all have. */
function admits(senders: LRUCache<string, TokenBucket>, sender: string): boolean {
	const bucket =
		senders.get(sender) ?? new TokenBucket({ perSecond: bound.podReportsPerSecond, burst: bound.podReportBurst });
	senders.set(sender, bucket);
	return bucket.take();
}

function refuse({ request, response }: Exchange, status: number): void {
	request.resume();
	response.writeHead(status, { connection: "close" }).end();
}
