/** Admits the callers that show the launch's token in the place of the provider's key, and refuses web pages. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ProxyError } from "./proxy-error.ts";

export class CallerGuard {
	readonly #token: Buffer;

	constructor(token: string) {
		this.#token = digest(token);
	}

	/** @param port The port of the proxy. @throws {ProxyError} */
	check({ headers, url = "/" }: Pick<IncomingMessage, "headers" | "url">, port: number): void {
		if (headers.origin !== undefined) throw new ProxyError(403, "Requests of web pages are not answered");
		if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) {
			throw new ProxyError(403, "The host of the request is not this proxy");
		}
		const shown = [
			/^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1],
			headers["x-api-key"],
			headers["x-goog-api-key"],
			new URLSearchParams(url.split("?", 2)[1]).get("key"),
		];
		// Every header is compared, so that the time does not tell which one fits.
		const fits = shown.map((one) => timingSafeEqual(digest(String(one ?? "")), this.#token));
		if (!fits.includes(true)) throw new ProxyError(401, "The token of the session's model proxy is required");
	}
}

/** The digests have equal length for any token, as the comparison requires. */
function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}
