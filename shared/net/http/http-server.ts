/** Opens the server's socket with all of its bounds. Requests that Node refuses by itself get Node's own answers. */
import { bound } from "#shared/base/bounds.ts";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "#shared/base/start-error.ts";
import { listen } from "../sockets/listen.ts";
import { closeIdleForNew } from "./idle-connections.ts";
import { inUrl } from "./origin-guard.ts";
import { slowPeerLimits } from "./slow-peers.ts";

export interface HttpServerOptions {
	readonly host: string;
	/** The port; 0 takes a free one. */
	readonly port: number;
	readonly maxConnections: number;
	/** The configuration keys of host and port, for the sentence about an address that cannot be used. */
	readonly keys: string;
	/** Decides which requests cause the event `upgrade`; all others are answered as HTTP. Default: none do. */
	readonly shouldUpgrade?: (request: IncomingMessage) => boolean;
}

const limits = {
	maxHeaderSize: bound.headerBytes,
	...slowPeerLimits,
	/** The system detects peers that have vanished. */
	keepAlive: true,
	keepAliveInitialDelay: 30_000,
};

/**
 * Opens the server, which listens when this resolves.
 * @throws {StartError} when the address cannot be used.
 */
export async function openHttpServer(options: HttpServerOptions, listener: RequestListener): Promise<Server> {
	const { shouldUpgrade: shouldUpgradeCallback = () => false } = options;
	const server = createServer({ ...limits, shouldUpgradeCallback }, listener);
	// The separate listener keeps Node from sending "100 Continue" before the body is known to be wanted.
	server.on("checkContinue", listener);
	server.maxConnections = options.maxConnections;
	closeIdleForNew(server);
	const { host, port } = options;
	await listen(server, { host, port }).catch((error: NodeJS.ErrnoException) => {
		throw new StartError(refusal(options, error));
	});
	return server;
}

/** Returns the address, e.g. `http://127.0.0.1:8080`. */
export function urlOf(host: string, server: Server): string {
	return `http://${inUrl(host)}:${portOf(server)}`;
}

export function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}

function refusal({ host, port, keys }: HttpServerOptions, { code, message }: NodeJS.ErrnoException): string {
	const reason = code === "EADDRINUSE" ? "another program listens there" : message;
	const short = keys.includes("gateway.port")
		? `; for another port: PORT=${port < 65_535 ? port + 1 : port - 1} npm start`
		: "";
	return `Cannot listen on "${host}" port ${port}: ${reason}. See configuration keys ${keys}${short}`;
}
