/** The error for a token that is no credential. Callers learn nothing from it: the gateway answers 401 as for no token. */

export type TokenFault =
	| "form"
	| "header"
	| "key"
	| "signature"
	| "issuer"
	| "audience"
	| "subject"
	| "expired"
	| "not-yet-valid"
	| "times"
	| "kind";

/** A token that breaks a rule. The message has no part of the token. */
export class TokenRefusedError extends Error {
	override readonly name = "TokenRefusedError";
	readonly fault: TokenFault;

	constructor(fault: TokenFault, options?: ErrorOptions) {
		super(`The token is refused: ${fault}`, options);
		this.fault = fault;
	}
}
