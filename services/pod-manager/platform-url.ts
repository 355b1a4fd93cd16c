/** The address of the platform for pods. */
import type { Config } from "#shared/config/config.ts";
import { gatewayUrl } from "#shared/config/gateway-url.ts";

/**
 * Returns the URL of the platform's API for pods on this machine or behind `gateway.public_url`.
 * @throws {Error} when the gateway's port is not known before it listens.
 */
export function platformUrl(gateway: Config["gateway"]): string {
	const base = gatewayUrl(gateway);
	if (base !== undefined) return `${base}/api/v1/${gateway.product}`;
	throw new Error("Cannot tell pods where the platform is: gateway.port is 0 and gateway.public_url is empty");
}
