/** Says in a sentence for operators why a token of an OpenID provider is no credential. It repeats issuer and audience of the token, and nothing else. */
import { readJwt } from "#shared/base/tokens/jwt-form.ts";
import type { TokenFault } from "#shared/base/tokens/token-refused.ts";

interface ExpectedToken {
	readonly issuer: string;
	readonly audience: string;
}

/** The longest shown value, in characters. */
const maxShown = 120;

const sentences: Readonly<Record<TokenFault, string>> = {
	form: "it is no signed JWT",
	header: "its header cannot be read, or changes how tokens are verified",
	key: "the issuer has no key by which it is signed; allowed are RS256, ES256 and EdDSA",
	signature: "its signature is wrong",
	issuer: "its issuer is another one",
	audience: "its audience is another one",
	subject: "it has no usable subject (sub)",
	expired: "it has expired, or a clock is wrong",
	"not-yet-valid": "it is not valid yet, or a clock is wrong",
	times: "it does not say when it was made and when it ends (iat, exp)",
	kind: "it is no access token: an access token has the header typ at+jwt, or the claim typ Bearer, or a scope or client_id and nothing of an ID token",
};

export function tokenRefusal(fault: TokenFault, token: string, { issuer, audience }: ExpectedToken): string {
	const { iss, aud } = fault === "issuer" || fault === "audience" ? readJwt(token).claims : {};
	const compared: Partial<Record<TokenFault, string>> = {
		issuer: `its issuer is ${shown(iss)}, not ${shown(issuer)} (identity.kwargs.issuer)`,
		audience: `its audience is ${shown(aud)}, not ${shown(audience)} (identity.kwargs.audience)`,
	};
	return `The token is refused: ${compared[fault] ?? sentences[fault]}`;
}

function shown(value: unknown): string {
	return (JSON.stringify(value) ?? "missing").slice(0, maxShown);
}
