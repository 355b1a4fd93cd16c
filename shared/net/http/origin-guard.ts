/**
 * Refuses requests that a foreign web page could cause a browser to send, by the name that resolved to this server
 * (Host, DNS rebinding) and by the page (Origin).
 */
import type { IncomingHttpHeaders } from "node:http";
import { ForbiddenError } from "#shared/base/errors.ts";

export interface OriginGuardOptions {
	readonly host: string;
	readonly port: number;
	/** The URL at which people and pods reach the gateway, if it is not the address it listens on. */
	readonly publicUrl: string;
	/** Further allowed names, on any port. */
	readonly allowedHosts: readonly string[];
	/** The origins of foreign pages that may call. */
	readonly allowedOrigins: readonly string[];
	/**
	 * Whether every Host header must be allowed; this is required where callers are trusted because they are on this
	 * machine.
	 */
	readonly checksHost: boolean;
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The paths that answer under any name (docs/decisions/0106): proxies and supervisors ask them by an address or a name of their
 * own, and the answer says nothing about people or sessions.
 */
const probePaths: ReadonlySet<string> = new Set(["/health", "/ready"]);

export class OriginGuard {
	readonly #hosts: ReadonlySet<string>;
	readonly #names: ReadonlySet<string>;
	readonly #origins: ReadonlySet<string>;
	readonly #foreignOrigins: ReadonlySet<string>;
	readonly #checksHost: boolean;

	constructor({ host, port, publicUrl, allowedHosts, allowedOrigins, checksHost }: OriginGuardOptions) {
		const own = [inUrl(host), ...loopbackNames].flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
		const published = publicUrl === "" ? [] : [new URL(publicUrl)];
		this.#hosts = new Set([...own, ...published.map((url) => url.host)]);
		this.#names = new Set(allowedHosts.map((name) => name.toLowerCase()));
		this.#origins = new Set([...allowedOrigins, ...published.map((url) => url.origin)]);
		this.#foreignOrigins = new Set(allowedOrigins);
		this.#checksHost = checksHost || allowedHosts.length > 0;
	}

	/**
	 * Returns the origin of an allowed foreign page, for which the answer needs CORS headers; undefined for all others.
	 * @param path The path of the request with its query; default: none. @throws {ForbiddenError}
	 */
	check({ host = "", origin }: IncomingHttpHeaders, path = ""): string | undefined {
		const name = host.toLowerCase();
		if (!probePaths.has(path)) this.#refuseForeignHost(host);
		if (origin === undefined || origin === `http://${name}` || origin === `https://${name}`) return undefined;
		if (!this.#origins.has(origin)) {
			throw new ForbiddenError(`Origin "${shortened(origin)}" is not allowed${remedy("origins")}`, "FOREIGN_ORIGIN");
		}
		return this.#foreignOrigins.has(origin) ? origin : undefined;
	}

	#refuseForeignHost(host: string): void {
		if (!this.#checksHost || this.#isOwnHost(host.toLowerCase())) return;
		throw new ForbiddenError(`Host "${shortened(host)}" is not allowed${remedy("hosts")}`, "FOREIGN_HOST");
	}

	#isOwnHost(host: string): boolean {
		return this.#hosts.has(host) || this.#names.has(host.replace(/:\d{1,5}$/, ""));
	}
}

/** Returns an address in the form of URLs and Host headers: IPv6 in brackets. */
export function inUrl(host: string): string {
	return host.includes(":") ? `[${host}]` : host.toLowerCase();
}

/** Returns the key that would change it. It is public, and only who configures the platform can set it. */
function remedy(what: "hosts" | "origins"): string {
	return `; whoever runs the platform can name it in gateway.allowed_${what}`;
}

function shortened(value: string): string {
	return value.length <= 100 ? value : `${value.slice(0, 100)}…`;
}
