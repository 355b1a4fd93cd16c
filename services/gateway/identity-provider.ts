/** Port: who sends a request. One adapter is named in the configuration (`identity`). */
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "#shared/bus/principal.ts";
import type { Ends } from "./connection-rows.ts";

export interface IdentityProvider {
	/**
	 * The principal of a request with these headers; undefined when there is none to be believed (401).
	 * Tokens of session pods never get here.
	 * @param connection By which it came.
	 * @throws {ForbiddenError} with a sentence, when who sends it is known to have no place here.
	 */
	authenticate(headers: IncomingHttpHeaders, connection: Ends): Promise<Principal | undefined>;
	/** Whether the gateway may listen only on loopback with it, and refuses foreign Host and Origin. */
	readonly loopbackOnly: boolean;
}
