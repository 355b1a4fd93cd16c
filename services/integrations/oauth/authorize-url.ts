/** Makes the URL at which a browser begins a login (RFC 6749 section 4.1.1, RFC 7636 section 4.3). Pure. */
import { createHash } from "node:crypto";
import type { OAuthProvider } from "./oauth-definition.ts";

interface LoginRequest {
	readonly state: string;
	readonly redirectUri: string;
	/** The verifier of which the URL has the digest. */
	readonly verifier: string;
}

/** Returns the URL. Additional parameters of the definition cannot replace those of the login. */
export function authorizeUrl({ definition, client }: OAuthProvider, login: LoginRequest): string {
	const { authorize_url, scopes, extra_authorize_params } = definition;
	const url = new URL(authorize_url);
	const own = {
		client_id: client.client_id,
		redirect_uri: login.redirectUri,
		response_type: "code",
		state: login.state,
		code_challenge: createHash("sha256").update(login.verifier).digest("base64url"),
		code_challenge_method: "S256",
		...(scopes.length > 0 && { scope: scopes.join(" ") }),
	};
	for (const [name, value] of Object.entries({ ...extra_authorize_params, ...own })) url.searchParams.set(name, value);
	return url.href;
}
