/**
 * The only way out of the platform for requests to URLs that people choose: servers of git providers, trackers, hooks.
 * Only public addresses are reached, unless the configuration allows a host by name (docs/decisions/0045).
 * @example
 * ```ts
 * const { status, body } = await platform.outbound.send({
 * 	url: `${connection.url}/api/v4/user`,
 * 	headers: { "private-token": token }, // never reaches another origin
 * });
 * ```
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { deadline } from "#shared/base/clock.ts";
import { ServiceError, TimeoutError, UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import { orAborted } from "#shared/base/concurrency/or-aborted.ts";
import { answerBody } from "./answer-body.ts";
import { type ResolveName, resolveKnownName, resolvePublicName } from "./name-resolver.ts";
import { OutboundConnections } from "./outbound-connections.ts";
import { type OutboundConfig, type OutboundRules, outboundRules } from "./outbound-rules.ts";
import { type CheckedUrl, checkUrl, noPublicAddress } from "./outbound-url.ts";
import { isPublicAddress } from "./public-address.ts";

export interface OutboundRequest {
	readonly url: string;
	/** The method; default GET. Redirects are followed for GET and HEAD only. */
	readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Headers for the URL's own origin. A redirect to another origin gets none of them. */
	readonly headers?: Readonly<Record<string, string>>;
	/** The body for the URL's own origin. */
	readonly body?: string | Buffer;
	/**
	 * The URL is of the platform's configuration and not of a user: its own origin may then have a private address and
	 * use http. Redirects to other origins are checked like all others.
	 */
	readonly isConfigured?: boolean;
	/** The time for everything, in milliseconds; default 10,000. */
	readonly timeoutMs?: number;
	/** The bound for the answer's body, before and after decompression; default 5 MiB. */
	readonly maxBytes?: number;
}

/** The last answer of a request, whatever its status is. */
export interface OutboundAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
	/** The URL that answered. */
	readonly url: string;
}

const ownHeaders = { "user-agent": "Atelier", accept: "*/*", "accept-encoding": "gzip" };
/** Headers that decide how the request is framed or where it goes. */
const reservedHeader =
	/^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect)$/i;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const redirects = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 3;

export class Outbound {
	readonly #rules: OutboundRules;
	readonly #resolve: ResolveName;
	readonly #connections: OutboundConnections;

	/**
	 * @param resolve Resolves names that the configuration does not allow; tests have one of their own.
	 * @throws {StartError} when an entry of the configuration cannot be understood.
	 */
	constructor(config: OutboundConfig, resolve: ResolveName = resolvePublicName) {
		this.#rules = outboundRules(config);
		this.#resolve = resolve;
		this.#connections = new OutboundConnections(this.#rules.proxy);
	}

	/**
	 * Checks a URL when a person stores it, so that a mistake is told at once. The check is made again with each request.
	 * @throws {UnprocessableError}
	 */
	check(url: string): void {
		checkUrl(url, this.#rules);
	}

	/**
	 * Resolves with the answer, of any status.
	 * @throws {UnprocessableError} when the URL, a redirect or a header is refused.
	 * @throws {UpstreamError} when the server cannot be reached, or breaks a bound.
	 * @throws {TimeoutError}
	 */
	async send(request: OutboundRequest): Promise<OutboundAnswer> {
		checkHeaders(request.headers ?? {});
		const { timeoutMs = 10_000 } = request;
		const signal = deadline(timeoutMs);
		const configured = request.isConfigured === true ? originOf(request.url) : undefined;
		const first = checkUrl(request.url, this.#rules, configured);
		try {
			return await this.#follow(request, first, configured, signal);
		} catch (error) {
			if (error instanceof ServiceError) throw error;
			if (signal.aborted)
				throw new TimeoutError(`The server did not answer within ${timeoutMs} ms`, "UPSTREAM_TIMEOUT");
			throw new UpstreamError("The server cannot be reached", "UPSTREAM_UNREACHABLE", { cause: error });
		}
	}

	/** Closes idle connections, and ends requests that are under way. */
	close(): void {
		this.#connections.close();
	}

	async #follow(
		request: OutboundRequest,
		first: CheckedUrl,
		configured: string | undefined,
		signal: AbortSignal,
	): Promise<OutboundAnswer> {
		const { maxBytes = 5 * 1_048_576 } = request;
		let target = first;
		for (let followed = 0; ; followed++) {
			const response = await this.#hop(request, target, target.url.origin === first.url.origin, signal);
			const next = nextUrl(request, target.url, response);
			if (next === undefined) {
				const body = await answerBody(response, maxBytes);
				return { status: response.statusCode ?? 0, headers: response.headers, body, url: target.url.href };
			}
			response.destroy();
			if (followed === maxRedirects)
				throw new UpstreamError(`The server redirected more than ${maxRedirects} times`, "UPSTREAM_REDIRECTS");
			target = checkUrl(next, this.#rules, configured);
		}
	}

	/** @param isOwn Whether the target has the origin of the request, and may see its headers and its body. */
	async #hop(
		{ method = "GET", headers, body: own }: OutboundRequest,
		target: CheckedUrl,
		isOwn: boolean,
		signal: AbortSignal,
	): Promise<IncomingMessage> {
		const addresses = await orAborted(this.#addressesOf(target), signal);
		const body = isOwn ? own : undefined;
		const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
		return this.#connections.send({
			target,
			addresses,
			method,
			headers: { ...ownHeaders, ...(isOwn && lowered(headers ?? {})), ...length },
			body,
			signal,
		});
	}

	/** Returns the addresses to connect to; nothing when the proxy resolves the name. */
	async #addressesOf({ host, isAllowed }: CheckedUrl): Promise<string[] | undefined> {
		if (isAllowed) return resolveKnownName(host);
		const { proxy, proxyResolves, refused } = this.#rules;
		if (proxy !== undefined && proxyResolves) return undefined;
		const found = isIP(host) !== 0 ? [host] : await this.#resolve(host);
		// One private address among public ones is refused too, because the connection chooses among them.
		if (found.length === 0 || !found.every((address) => isPublicAddress(address, refused))) throw noPublicAddress(host);
		return found;
	}
}

/** Returns the URL of a redirect that is to be followed. */
function nextUrl({ method = "GET" }: OutboundRequest, from: URL, response: IncomingMessage): string | undefined {
	const { statusCode = 0, headers } = response;
	if (!redirects.has(statusCode) || headers.location === undefined || (method !== "GET" && method !== "HEAD"))
		return undefined;
	return URL.canParse(headers.location, from) ? new URL(headers.location, from).href : headers.location;
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
	for (const [name, value] of Object.entries(headers)) {
		if (!headerName.test(name) || reservedHeader.test(name) || !headerValue.test(value))
			throw new UnprocessableError(`The header "${name.slice(0, 100)}" cannot be sent`, "HEADER_REFUSED");
	}
}

/** A header of the caller replaces the platform's own one in whatever letters it is written. */
function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function originOf(url: string): string | undefined {
	return URL.canParse(url) ? new URL(url).origin : undefined;
}
