/** The HTTP side of one process: listens, answers, and ends without cutting off an answer. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Caller } from "#shared/bus/service.ts";
import { sleep } from "#shared/clock.ts";
import { urlOf } from "./http/http-server.ts";
import type { Readiness } from "./http/readiness.ts";
import type { RequestChain } from "./request-chain.ts";

/** What the gateway needs of the bus. */
export interface GatewayBus {
	readonly caller: Caller;
	/** Whether there is somebody who serves the action, though its breaker may be open at the moment. */
	isServed(action: string): boolean;
	logError(message: string, error: unknown): void;
}

export interface GatewayDependencies {
	readonly server: Server;
	readonly chain: RequestChain;
	readonly readiness: Readiness;
	/** Of browsers, where the identity has one. */
	readonly loginToken?: string | undefined;
	/** Given the bus as soon as it is there. */
	readonly attach: (bus: GatewayBus) => void;
}

/** How long an orderly end waits for requests under way. */
const drainMs = 10_000;

export class Gateway {
	readonly #dependencies: GatewayDependencies;
	/** Requests being answered; streams in the hands of raw handlers are not among them. */
	readonly #underWay = new Set<ServerResponse>();
	readonly #drained = new AbortController();
	#draining = false;

	constructor(dependencies: GatewayDependencies) {
		this.#dependencies = dependencies;
	}

	/** E.g. `http://127.0.0.1:8080`. */
	url(host: string): string {
		return urlOf(host, this.#dependencies.server);
	}

	/** Where a person's browser begins. */
	entrance(host: string): string {
		const { loginToken } = this.#dependencies;
		return loginToken === undefined ? this.url(host) : `${this.url(host)}/?token=${loginToken}`;
	}

	attach(bus: GatewayBus): void {
		this.#dependencies.attach(bus);
	}

	async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.#underWay.add(response);
		if (this.#draining) response.shouldKeepAlive = false;
		await this.#dependencies.chain.handle(request, response);
		this.#underWay.delete(response);
		// The answer itself leaves at the end of this turn.
		if (this.#draining && this.#underWay.size === 0) setImmediate(() => this.#drained.abort());
	}

	/** Says that the process is ending to whoever asks whether it is ready, and goes on. */
	unready(): void {
		this.#dependencies.readiness.drain();
	}

	/** Takes no new connections, and waits for the answers under way, 10 s at most. Streams are left to their own end. */
	async drain(): Promise<void> {
		const { server } = this.#dependencies;
		this.#draining = true;
		this.unready();
		server.close();
		for (const response of this.#underWay) response.shouldKeepAlive = false;
		if (this.#underWay.size > 0) await sleep(drainMs, this.#drained.signal);
	}

	/** Cuts whatever is still connected. */
	close(): void {
		const { server } = this.#dependencies;
		server.close();
		server.closeAllConnections();
	}
}
