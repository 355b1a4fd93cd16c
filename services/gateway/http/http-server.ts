/** The server's socket, and every bound that belongs to it. What Node refuses by itself, it refuses as it does. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "#shared/config/config.ts";
import { inUrl } from "./origin-guard.ts";

export interface HttpServerOptions {
	readonly host: string;
	/** 0 takes a free one. */
	readonly port: number;
	readonly maxConnections: number;
	/** Which requests become an `upgrade`; every other is answered as HTTP, whatever it asks for. Default none. */
	readonly shouldUpgrade?: (request: IncomingMessage) => boolean;
}

const limits = {
	maxHeaderSize: 16 * 1024,
	headersTimeout: 10_000,
	requestTimeout: 15_000,
	keepAliveTimeout: 5_000,
	/** How often the two timeouts above are looked at. */
	connectionsCheckingInterval: 1_000,
	/** Finds out about peers that vanished without a word. */
	keepAlive: true,
	keepAliveInitialDelay: 30_000,
};

/**
 * Listens when it resolves.
 * @throws {ConfigError} when the address cannot be used.
 */
export async function openHttpServer(options: HttpServerOptions, listener: RequestListener): Promise<Server> {
	const { shouldUpgrade: shouldUpgradeCallback = () => false } = options;
	const server = createServer({ ...limits, shouldUpgradeCallback }, listener);
	// With its own listener, nobody is told to go on before we know that we want the body.
	server.on("checkContinue", listener);
	server.maxConnections = options.maxConnections;
	const { host, port } = options;
	await new Promise<void>((resolve, reject) => {
		server.once("error", (error: NodeJS.ErrnoException) => reject(new ConfigError(refusal(options, error))));
		server.listen({ host, port }, resolve);
	});
	return server;
}

/** E.g. `http://127.0.0.1:8080`. */
export function urlOf(host: string, server: Server): string {
	return `http://${inUrl(host)}:${portOf(server)}`;
}

export function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}

function refusal({ host, port }: HttpServerOptions, { code, message }: NodeJS.ErrnoException): string {
	const reason = code === "EADDRINUSE" ? "another program listens there" : message;
	return `Cannot listen on "${host}" port ${port}: ${reason}. See configuration keys gateway.host and gateway.port`;
}
