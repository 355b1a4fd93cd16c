/**
 * Admits requests of the platform, which shows the pod's key, and refuses web pages. A page cannot omit its `Origin`,
 * and a name that it made point at loopback is in `Host` (CVE-2025-59956).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { RequestError } from "./request-error.ts";

export class RequestGuard {
	readonly #key: Buffer;
	readonly #hosts: readonly string[];

	/** @param host The name beside those of loopback under which the platform reaches the pod; absent: none. */
	constructor(key: string, host?: string) {
		this.#key = digest(key);
		this.#hosts = ["127.0.0.1", "localhost", ...(host === undefined ? [] : [host.toLowerCase()])];
	}

	/**
	 * @param port The port of the pod; undefined behind a Unix socket, where the platform has a port of its own choice.
	 * @throws {RequestError} with status 403 or 401.
	 */
	check({ host = "", origin, authorization = "" }: IncomingHttpHeaders, port: number | undefined): void {
		if (origin !== undefined) throw new RequestError(403, "Requests of web pages are not answered");
		const shownHost = port === undefined ? host.replace(/:\d{1,5}$/, "") : host;
		if (!this.#hosts.some((own) => shownHost === (port === undefined ? own : `${own}:${port}`))) {
			throw new RequestError(403, "The host of the request is not this pod");
		}
		const shown = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
		if (!timingSafeEqual(digest(shown), this.#key)) throw new RequestError(401, "The platform's key is required");
	}
}

/** The digests have equal length for any key, as the comparison requires. */
function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}
