/**
 * Makes the address of a session's chat at the gateway, while its pod exists or is starting. A session stores the path only,
 * and the text that is sent gets the address, which follows from the configuration (decision 0140). Pure.
 */
import type { Config } from "#shared/config/config.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { gatewayUrl } from "#shared/config/gateway-url.ts";
import type { SessionDocument } from "./session-collection.ts";

function hasChat(status: string | undefined): boolean {
	return status === "provisioning" || status === "running";
}

/** Returns the path that a session stores; null when there is no chat. */
export function chatPath({ id, status }: Pick<Session, "id" | "status">): string | null {
	return hasChat(status) ? pathOf(id) : null;
}

/** The addresses of chats at one gateway. */
export class ChatAddresses {
	/** Undefined when the gateway's address is not known before it listens; then no session has an address. */
	readonly #base: string | undefined;

	constructor(gateway?: Config["gateway"]) {
		this.#base = gateway && gatewayUrl(gateway)?.replace(/^http/, "ws");
	}

	/** The most bytes by which a text grows. */
	get bytes(): number {
		return Buffer.byteLength(this.#base ?? "");
	}

	/**
	 * Returns the stored text of a session with the address in the place of the path. The text of a session without a chat
	 * is not searched, because the search is a twentieth of the time of a read.
	 */
	shown({ id, status, wire }: Pick<SessionDocument, "id" | "status" | "wire">): string {
		if (!hasChat(status)) return wire;
		const member = (value: string | null) => `"chat_endpoint":${JSON.stringify(value)}`;
		const path = pathOf(id);
		return wire.replaceAll(member(path), () => member(this.#base === undefined ? null : this.#base + path));
	}
}

function pathOf(id: string): string {
	return `/s/${id}/session`;
}
