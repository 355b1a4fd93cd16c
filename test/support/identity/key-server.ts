/** An HTTP server with the discovery document and the key set of an issuer, which counts what is read. */
import { createServer, type Server } from "node:http";
import type { JWK } from "jose";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../machine/loopback-server.ts";

/** The answer in place of the key set. */
interface OddAnswer {
	readonly status?: number;
	readonly body?: string;
	readonly headers?: Record<string, string>;
}

export class KeyServer implements AsyncDisposable {
	/** The public keys of the set. */
	keys: JWK[] = [];
	/** How often the key set was sent. */
	reads = 0;
	/** Replaces the key set; `silent`: it never answers. */
	odd: OddAnswer | "silent" | undefined;
	/** Members of the discovery document that replace its own. */
	described: Record<string, unknown> = {};
	readonly #server: Server;

	private constructor() {
		this.#server = createServer(({ url = "" }, response) => {
			if (url.endsWith("/.well-known/openid-configuration")) {
				const { issuer } = this;
				response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks`, ...this.described }));
				return;
			}
			this.reads++;
			if (this.odd === "silent") return;
			const { status = 200, body = JSON.stringify({ keys: this.keys }), headers = {} } = this.odd ?? {};
			response.writeHead(status, headers).end(body);
		});
	}

	static async listen(keys: JWK[] = []): Promise<KeyServer> {
		const opened = new KeyServer();
		opened.keys = keys;
		await listenOnLoopback(opened.#server);
		return opened;
	}

	get issuer(): string {
		return loopbackUrl(this.#server);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (!this.#server.listening) return;
		await closeAtOnce(this.#server);
	}
}
