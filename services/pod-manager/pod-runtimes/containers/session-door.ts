/**
 * The platform as a session in a container sees it: a Unix socket in a folder that only its container has. Whoever speaks there
 * is that session, so its launch document and its model need no proof. A status needs the token of the launch, which the agent alone has,
 * and so do all other requests, which are passed on to the platform's API.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import {
	createServer,
	type IncomingMessage,
	type OutgoingHttpHeaders,
	request as httpRequest,
	type Server,
	type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import { bound } from "#shared/base/bounds.ts";
import { readBounded } from "#shared/base/bounded-read.ts";
import { TokenBucket } from "#shared/base/concurrency/token-bucket.ts";
import { endToEndHeaders } from "#shared/base/headers/hop-by-hop.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { slowPeerLimits } from "#shared/net/http/slow-peers.ts";
import type { DoorModel } from "./door-model.ts";

/** The most connections of one session: those of its programs (`podConnections`), and some of its agent. */
const maxConnections = bound.podConnections + 16;
const maxStatusBytes = 16_384;
/** The parts of its session that the door needs. */
export interface DoorDependencies {
	/** Returns the launch document as JSON; undefined when it was given already, or the launch is over. */
	readonly launch: () => Promise<string | undefined>;
	/** Takes the status of the agent as it was sent. */
	readonly report: (status: Buffer) => Promise<void>;
	/** Resolves to the session's model; undefined when it has none. */
	readonly model: () => Promise<DoorModel | undefined>;
	/** Returns the token of this launch. The API is reached with it only: some identities trust whoever calls from this machine. */
	readonly podToken: () => string;
	/** Returns the prefix of the platform's API, such as `http://127.0.0.1:8080/api/v1/svc`. */
	readonly platformUrl: () => string;
}

/** A door with the pace of its session. */
interface Door extends DoorDependencies {
	/** The reports that the agent may send now; each of them costs the platform a write. */
	readonly reports: TokenBucket;
}

/** Returns the server of one session, which does not listen yet. */
export function sessionDoor(dependencies: DoorDependencies): Server {
	const server = createServer({ ...slowPeerLimits, requestTimeout: 60_000 });
	server.maxConnections = maxConnections;
	// Requests that are sent one behind the other on a connection would all be under way at once.
	server.maxRequestsPerSocket = 1;
	const reports = new TokenBucket({ perSecond: bound.podReportsPerSecond, burst: bound.podReportBurst });
	const door: Door = { ...dependencies, reports };
	server.on("request", (request, response) => {
		response.shouldKeepAlive = false;
		answer(door, request, response).catch(() => {
			if (response.headersSent) response.destroy();
			else response.writeHead(502).end();
		});
	});
	return server;
}

async function answer(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { method = "", url = "" } = request;
	if (method === "POST" && Object.hasOwn(posts, url)) return posts[url]?.(door, request, response);
	if (url.startsWith(`${doorPaths.model}/`)) return callModel(door, request, response);
	const platform = new URL(door.platformUrl());
	const target = new URL(url, platform);
	// Dots in the path have been taken out of it.
	if (target.origin === platform.origin && target.pathname.startsWith(`${platform.pathname}/`)) {
		if (showsToken(request, door.podToken())) return pass(target, request, response);
		request.resume();
		return void response.writeHead(401, { connection: "close" }).end();
	}
	request.resume();
	response.writeHead(404).end();
}

type Answer = (door: Door, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The answers of the door itself, by their paths. */
const posts: Record<string, Answer> = {
	[doorPaths.launch]: giveLaunch,
	[doorPaths.status]: takeStatus,
	[doorPaths.turnBegins]: ordering((model, leaving) => model.turnBegins(leaving).then(() => true)),
	[doorPaths.turnEnded]: ordering((model) => {
		model.turnEnded();
		return true;
	}),
	[doorPaths.modelChanged]: ordering((model) => model.follow()),
};

async function giveLaunch(
	{ launch }: DoorDependencies,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	request.resume();
	const document = await launch();
	if (document === undefined) response.writeHead(409).end();
	else response.writeHead(200, { "content-type": "application/json" }).end(document);
}

/** An agent sends a status again until it was taken. The token is its own: other programs of the session cannot use up its reports. */
async function takeStatus(
	{ podToken, report, reports }: Door,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const isItsOwn = showsToken(request, podToken());
	if (!isItsOwn || !reports.take()) {
		request.resume();
		return void response.writeHead(isItsOwn ? 503 : 401, { connection: "close" }).end();
	}
	const tooLarge = () => new Error(`A status has at most ${maxStatusBytes} bytes`);
	await report(await readBounded(request, { maxBytes: maxStatusBytes, tooLarge }));
	response.writeHead(204).end();
}

async function callModel(
	{ model }: DoorDependencies,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const own = await model();
	if (own) own.answer(request, response, (request.url ?? "").slice(doorPaths.model.length));
	else response.writeHead(404, { connection: "close" }).end();
}

/** @param carryOut Carries out an order to the session's model; whether it was possible. */
function ordering(carryOut: (model: DoorModel, leaving: AbortSignal) => boolean | Promise<boolean>): Answer {
	return async ({ model }, request, response) => {
		request.resume();
		const leaving = new AbortController();
		response.on("close", () => leaving.abort());
		const own = await model();
		const isDone = own ? await carryOut(own, leaving.signal) : true;
		response.writeHead(isDone ? 204 : 409).end();
	};
}

async function pass(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const platform = await new Promise<IncomingMessage>((resolve, reject) => {
		const outgoing = httpRequest(url, { method: request.method, headers: passedHeaders(request) }, resolve);
		outgoing.on("error", reject);
		response.on("close", () => outgoing.destroy());
		request.pipe(outgoing);
	});
	response.writeHead(platform.statusCode ?? 502, endToEndHeaders(platform.headers));
	await pipeline(platform, response);
}

/** The headers of requests that are passed on. Others could say who calls, where the platform trusts a proxy before it. */
const passedOn = [
	"authorization",
	"content-type",
	"content-length",
	"transfer-encoding",
	"accept",
	"user-agent",
	"if-none-match",
];

function passedHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => passedOn.includes(name)));
}

/** Whether the request shows the token of its launch. */
function showsToken({ headers }: IncomingMessage, token: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`));
}
