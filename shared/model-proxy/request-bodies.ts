/** Holds the bodies of requests, within bounds, until they are answered. */
import type { IncomingMessage } from "node:http";
import { readBounded } from "#shared/base/bounded-read.ts";
import type { HeldBytes } from "./held-bytes.ts";
import { ProxyError } from "./proxy-error.ts";
import type { ProxyLimits } from "./proxy-limits.ts";

export class RequestBodies {
	readonly #limits: ProxyLimits;
	readonly #all: HeldBytes | undefined;
	#held = 0;

	/** @param all Counts the bytes of several sessions. */
	constructor(limits: ProxyLimits, all?: HeldBytes) {
		this.#limits = limits;
		this.#all = all;
	}

	/** Runs `use` with the body. @throws {ProxyError} with status 413, 415 or 429; any error of `use`. */
	async with<T>(request: IncomingMessage, use: (body: Buffer) => Promise<T>): Promise<T> {
		if ((request.headers["content-encoding"] ?? "identity") !== "identity") {
			throw new ProxyError(415, "The body of a request must not be compressed");
		}
		const held = { bytes: 0 };
		try {
			return await use(await this.#read(request, held));
		} finally {
			this.#held -= held.bytes;
			this.#all?.give(held.bytes);
		}
	}

	#read(request: IncomingMessage, held: { bytes: number }): Promise<Buffer> {
		const { bodyBytes, heldBytes } = this.#limits;
		return readBounded(request, {
			maxBytes: bodyBytes,
			tooLarge: () => new ProxyError(413, `The request has more than ${bodyBytes} bytes`),
			onChunk: (bytes) => {
				held.bytes += bytes;
				this.#held += bytes;
				const isFree = this.#all?.take(bytes, this.#held) ?? true;
				if (!isFree || this.#held > heldBytes)
					throw new ProxyError(429, "Too many large requests at a time", { retryAfterS: 1 });
			},
		});
	}
}
