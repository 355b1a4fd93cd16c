/** Port: who sends a request. One adapter is named in the configuration (`identity`). */
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "#shared/bus/principal.ts";
import type { Ends } from "../http/connection-rows.ts";

export interface IdentityProvider {
	/**
	 * The principal of a request with these headers; undefined when there is none to be believed (401).
	 * Tokens of session pods never get here.
	 * @param connection By which it came.
	 * @throws {ForbiddenError} with a sentence, when who sends it is known to have no place here.
	 */
	authenticate(headers: IncomingHttpHeaders, connection: Ends): Promise<Principal | undefined>;
	/** How browsers become known, who cannot set a header; absent: they have to. Asked for at the start. @throws {StartError} */
	readonly browserLogin?: BrowserLogin;
	/** Whether the gateway may listen only on loopback with it, and refuses foreign Host and Origin. */
	readonly loopbackOnly: boolean;
}

/** What the class of an identity says of itself, in a static member: also where its provider is not created. */
export interface IdentityProviderClass {
	/**
	 * Whether every caller may have the rights of whoever started the platform: the sessions are one person's, or of people who
	 * share the machine. With it, pods need no isolation and repositories may be folders.
	 */
	readonly trustsCallers: boolean;
}

export interface BrowserLogin {
	/** Goes behind the address that is printed at the start, as `/?token=`. */
	readonly token: string;
	/** `Set-Cookie` for a browser that shows this text as the token; undefined when it is not. */
	cookieFor(text: string): string | undefined;
}
