/** Makes the address of a session's chat at the gateway, while its pod exists or is starting. Pure. */
import type { Config } from "#shared/config/config.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { gatewayUrl } from "#shared/config/gateway-url.ts";
import type { StoredStatus } from "./session-lifecycle.ts";

export type ChatEndpoint = (session: Pick<Session, "id" | "status">) => string | null;

/** Whether the pod of a session in this status exists or is starting. */
export function hasChat(status: StoredStatus): boolean {
	return status === "provisioning" || status === "running";
}

/** Returns the prefix of all endpoints; undefined when the gateway's address is not known before it listens. */
export function chatBase(gateway: Config["gateway"]): string | undefined {
	return gatewayUrl(gateway)?.replace(/^http/, "ws");
}

/**
 * Returns a function that makes the endpoint of a session; null in every status when the gateway's address is not known
 * before it listens.
 */
export function chatEndpointAt(gateway: Config["gateway"]): ChatEndpoint {
	const base = chatBase(gateway);
	return ({ id, status }) => {
		return base !== undefined && hasChat(status) ? `${base}/s/${id}/session` : null;
	};
}
