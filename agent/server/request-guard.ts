/**
 * Who may talk to the pod: the platform, which shows its key. A web page may not even try: it cannot leave out its
 * `Origin`, and a name that it has made point at loopback stands in `Host` (CVE-2025-59956).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { RequestError } from "./request-error.ts";

export class RequestGuard {
	readonly #key: Buffer;

	constructor(key: string) {
		this.#key = digest(key);
	}

	/** @param port Where the pod listens. @throws {RequestError} 403 or 401. */
	check({ host, origin, authorization = "" }: IncomingHttpHeaders, port: number): void {
		if (origin !== undefined) throw new RequestError(403, "Requests of web pages are not answered");
		if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
			throw new RequestError(403, "The host of the request is not this pod");
		}
		const shown = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
		if (!timingSafeEqual(digest(shown), this.#key)) throw new RequestError(401, "The platform's key is required");
	}
}

/** Of equal length whatever was shown, as the comparison needs. */
function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}
