/**
 * The model proxy on loopback. Coding agents reach the session's model, and no other, through it with a token of this
 * launch, which stands in the place of the provider's key.
 */
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "#shared/net/sockets/listen.ts";
import type { ModelAccess, ModelTerms, ModelWire } from "#shared/wire/models/model-wire.ts";
import { slowPeerLimits } from "#shared/net/http/slow-peers.ts";
import { CallerGuard } from "./caller-guard.ts";
import { ModelCalls, type ModelCallsDependencies } from "./model-calls.ts";

/** An import would load more (see `agent-server.ts`). */
const { createServer } = process.getBuiltinModule("node:http");

const maxConnections = 128;
const maxHeaderBytes = 32_768;

export class ModelProxy {
	/** The token that callers show in the place of the provider's key. */
	readonly token = `atelier-${randomBytes(24).toString("hex")}`;
	readonly #server: Server;
	readonly #guard = new CallerGuard(this.token);
	readonly #calls: ModelCalls;

	private constructor(dependencies: ModelCallsDependencies) {
		this.#calls = new ModelCalls(dependencies);
		dependencies.log.hide(this.token);
		this.#server = createServer({
			...slowPeerLimits,
			requestTimeout: 60_000,
			keepAliveTimeout: 30_000,
			maxHeaderSize: maxHeaderBytes,
		});
		this.#server.maxConnections = maxConnections;
		this.#server.on("request", (request, response) =>
			this.#calls.take(request, response, request.url ?? "", () => this.#guard.check(request, this.#port)),
		);
	}

	/** Listens on a free port of loopback. */
	static async open(dependencies: ModelCallsDependencies): Promise<ModelProxy> {
		const proxy = new ModelProxy(dependencies);
		await listen(proxy.#server, { port: 0, host: "127.0.0.1" });
		return proxy;
	}

	/** Returns the prefix that replaces the provider's endpoint; undefined for a format that it does not speak. */
	url(wire: ModelWire): string | undefined {
		return this.access.endpoints[wire] && `http://127.0.0.1:${this.#port}/${wire}`;
	}

	/** The access that the next call has. */
	get access(): ModelAccess {
		return this.#calls.access;
	}

	/** Makes further calls with another model (ModelCalls.use). */
	use(terms: ModelTerms): boolean {
		return this.#calls.use(terms);
	}

	/** Interrupts the calls that are under way. Resolves when `onCall` has received all of them. */
	async close(): Promise<void> {
		const over = this.#calls.close();
		this.#server.close();
		this.#server.closeAllConnections();
		await over;
	}

	get #port(): number {
		return (this.#server.address() as AddressInfo).port;
	}
}
