/** The URL at which pods and people reach the gateway. */
import type { Config } from "./config.ts";

const wildcards = new Set(["0.0.0.0", "::"]);

/**
 * Returns `gateway.public_url`, or else the address the gateway listens on; undefined while a port chosen by the system
 * is not known yet.
 */
export function gatewayUrl({
	host,
	port,
	public_url,
}: Pick<Config["gateway"], "host" | "port" | "public_url">): string | undefined {
	if (public_url !== "") return public_url;
	if (port === 0) return undefined;
	const name = wildcards.has(host) ? "127.0.0.1" : host;
	return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
