/** The HTTP server of one process: it listens, answers, and ends without interrupting an answer. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Caller } from "#shared/bus/service.ts";
import { sleep } from "#shared/base/clock.ts";
import type { StandingWatch } from "./callers/standing-watch.ts";
import { urlOf } from "#shared/net/http/http-server.ts";
import type { Readiness } from "#host/readiness.ts";
import { PipelinedRequests } from "./http/pipelined-requests.ts";
import type { RequestChain } from "./request-chain.ts";

export interface GatewayBus {
	readonly caller: Caller;
	/** Whether a service offers the action, even when its circuit breaker is open at the moment. */
	isServed(action: string): boolean;
	logError(message: string, error: unknown): void;
}

interface GatewayDependencies {
	readonly server: Server;
	readonly chain: RequestChain;
	readonly readiness: Readiness;
	readonly watch: Pick<StandingWatch, "stop">;
	/** The token for browsers; absent when the identity has no login. */
	readonly loginToken?: string | undefined;
	/** Whether callers need a token, because being on this machine is not enough. */
	readonly takesTokens: boolean;
	/** Forgets that personal access tokens with these keys are active. */
	readonly forgetTokens: (keys: readonly string[]) => void;
	/** Receives the bus as soon as it is connected. */
	readonly attach: (bus: GatewayBus) => void;
}

/** The time that an orderly end waits for requests under way, in milliseconds. */
const drainMs = 10_000;

/** A listening gateway. The gateway part drains and closes it. */
export class Gateway {
	readonly #dependencies: GatewayDependencies;
	/** The answers under way, without the streams of raw handlers. */
	readonly #underWay = new Set<ServerResponse>();
	readonly #drained = new AbortController();
	readonly #pipelined = new PipelinedRequests();
	#draining = false;

	constructor(dependencies: GatewayDependencies) {
		this.#dependencies = dependencies;
	}

	/** Returns the address, e.g. `http://127.0.0.1:8080`. */
	url(host: string): string {
		return urlOf(host, this.#dependencies.server);
	}

	/** Whether callers need a token. */
	get takesTokens(): boolean {
		return this.#dependencies.takesTokens;
	}

	/** Returns the first address for a browser, with the login token if there is one. */
	entrance(host: string): string {
		const { loginToken } = this.#dependencies;
		return loginToken === undefined ? this.url(host) : `${this.url(host)}/?token=${loginToken}`;
	}

	/** The count of requests that are not answered yet, without streams. */
	get underWay(): number {
		return this.#underWay.size;
	}

	attach(bus: GatewayBus): void {
		this.#dependencies.attach(bus);
	}

	forgetTokens(keys: readonly string[]): void {
		this.#dependencies.forgetTokens(keys);
	}

	async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.#underWay.add(response);
		if (this.#draining) response.shouldKeepAlive = false;
		const turn = this.#pipelined.turn(request, response);
		if (turn === undefined || (await turn)) await this.#dependencies.chain.handle(request, response);
		this.#underWay.delete(response);
		// The answer itself is written at the end of this turn of the event loop.
		if (this.#draining && this.#underWay.size === 0) setImmediate(() => this.#drained.abort());
	}

	/** Makes `/ready` report that the process is ending; requests are still answered. */
	unready(): void {
		this.#dependencies.readiness.drain();
	}

	/** Accepts no new connections, and waits up to 10 s for answers under way. Streams end by themselves. */
	async drain(): Promise<void> {
		const { server } = this.#dependencies;
		this.#draining = true;
		this.unready();
		server.close();
		for (const response of this.#underWay) response.shouldKeepAlive = false;
		if (this.#underWay.size > 0) await sleep(drainMs, this.#drained.signal);
	}

	/** Closes all remaining connections. */
	close(): void {
		const { server, watch } = this.#dependencies;
		void watch.stop();
		server.close();
		server.closeAllConnections();
	}
}
