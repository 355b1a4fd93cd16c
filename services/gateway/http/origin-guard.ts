/**
 * Refuses requests that a foreign web page could have made a browser send: by the name the page resolved to us (Host,
 * DNS rebinding), and by the page itself (Origin).
 */
import type { IncomingHttpHeaders } from "node:http";
import { ForbiddenError } from "#shared/errors.ts";

export interface OriginGuardOptions {
	/** What the server listens on. */
	readonly host: string;
	readonly port: number;
	/** URL by which people and pods reach the gateway, if not by the address it listens on. */
	readonly publicUrl: string;
	/** Further names, on any port. */
	readonly allowedHosts: readonly string[];
	/** Origins of pages elsewhere that may call. */
	readonly allowedOrigins: readonly string[];
	/** Whether a Host must always be ours, as it has to where callers are trusted because of where they are. */
	readonly checksHost: boolean;
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

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
	 * The origin of an allowed page elsewhere, whose browser has to be told so; undefined for all others.
	 * @throws {ForbiddenError}
	 */
	check({ host = "", origin }: IncomingHttpHeaders): string | undefined {
		const name = host.toLowerCase();
		if (this.#checksHost && !this.#isOwnHost(name)) {
			throw new ForbiddenError(`Host "${shortened(host)}" is not allowed`, "FOREIGN_HOST");
		}
		if (origin === undefined || origin === `http://${name}` || origin === `https://${name}`) return undefined;
		if (!this.#origins.has(origin)) {
			throw new ForbiddenError(`Origin "${shortened(origin)}" is not allowed`, "FOREIGN_ORIGIN");
		}
		return this.#foreignOrigins.has(origin) ? origin : undefined;
	}

	#isOwnHost(host: string): boolean {
		return this.#hosts.has(host) || this.#names.has(host.replace(/:\d{1,5}$/, ""));
	}
}

/** The form an address has in URLs and in Host: IPv6 in brackets. */
export function inUrl(host: string): string {
	return host.includes(":") ? `[${host}]` : host.toLowerCase();
}

function shortened(value: string): string {
	return value.length <= 100 ? value : `${value.slice(0, 100)}…`;
}
